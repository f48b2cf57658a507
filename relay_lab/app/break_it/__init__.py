"""Break it: conversations in which somebody attacks a desk from one place, and the judge of what they left in the journal."""
