"""A teaching lab about making a language model do customer support safely."""
