"""The words a reply may be made of. A word in no list here is refused: nobody could say what it claims."""

from relay_lab.desks.support.reply.checks.wordlist import lines, words

FREE = words(
    """
    a an the these those it its they them their i me my we us our you your yourself of in on at to for from with by through
    under against about as per also too then there yet still well again please only alone each another other more instead
    currently far earlier previously already reliably here before until and or but so if whether when once because though
    although while which that what this
    """
)
"""Words that carry no claim of their own."""

NARROW = {
    "another": words("seat plan"),
    "other": words("words seats"),
    "more": words("about"),
    "next": words("message"),
    "as": words("well a your"),
    "well": words(""),
    "far": words(""),
    "only": words("due once"),
    "alone": words("does"),
    "those": words("charges seats"),
}
"""Words that may only stand before these (or before nothing): elsewhere they would add a claim ("another charge")."""

BE = words("am is are was were be been being")
HAVE = words("has have had")
DO = words("do does did")
MODAL = words("can could would will shall")
INABILITY = words("can could cannot")
NEGATORS = words("not cannot no nothing")
AUXILIARY = BE | HAVE | DO | MODAL
PRESENT_BE = words("am is are be")
PAST = words("was were had did")
PAST_VERBS = words("found saw took sent chose kept paid done")
ADVERBS = words("yet so far currently also only still already again alone each")
PRONOUNS = words("you i we it they this these that there")
FIRST_PERSON = words("i we")

LEADS = words("if whether when once because though although while which that what until before so")
"""Words that open a clause of their own."""

LINKS = words("and or but")

ADJECTIVES = {
    adjective: frozenset(nouns)
    for adjective, *nouns in lines(
        """
        active          incident beta
        immediate       refund
        previous        refund access quote
        prior           refund access
        earlier         quote access
        current         plan
        new             quote
        lower           plan
        higher          plan
        support         specialist
        billing         specialist record question
        verified        flow refund
        next            message
        project         data
        effective       time
        target          plan
        stronger        sign
        human           specialist
        settled         charge
        open            quote
        reconciliation  record
        refund          policy flow request
        excess          charge
        duplicate       charge
        incident        record
        account         terms
        """
    )
}
"""Words that only narrow the noun after them -> the nouns they go with."""

NOUNS = {
    surface: concept
    for concept, *surfaces in lines(
        """
        charge        charge charges
        excess        excess duplicate duplicates
        refund        refund refunds
        incident      incident incidents outage outages
        access        access
        invoice       invoice invoices
        record        record records reconciliation evidence
        policy        policy
        plan          plan subscription
        account       account
        price         price
        month         month
        seat          seat seats
        feature       feature features
        quote         quote
        ticket        ticket
        specialist    specialist team billing
        person        person
        message       message
        question      question
        request       request
        confirmation  confirmation submission
        word          words
        time          time
        data          data
        effect        effect
        flow          flow process
        schedule      schedule
        beta          beta programme
        renewal       renewal
        change        change changes
        cancellation  cancellation
        sign          sign-in
        permission    permission
        terms         terms
        cause         cause
        service       service
        start         start
        force         force
        """
    )
    for surface in surfaces
}
"""Surface -> concept."""

COMPOUNDS = {("out", "of", "date"): "outdated", ("sign", "in"): "sign-in"}
"""Words that are one."""

FRAMING = words("record records policy flow process question request team specialist changes terms")
"""Nouns that turn the noun before them into the name of a kind ("incident records"): it then says nothing by itself."""

NOUN_PAIRS = {
    (first, second)
    for first, *seconds in lines(
        """
        plan        plan question renewal change
        feature     record change incident
        incident    record
        specialist  specialist record question
        refund      policy flow request
        policy      policy
        excess      charge
        account     terms
        record      record
        seat        change
        beta        access
        """
    )
    for second in seconds
}
"""Kinds of nouns of which the first may stand before the second: `Team plan`, `billing team`, `refund policy`."""

COURTESY = words(
    """
    hello hi dear good morning thank thanks you for your message writing to us telling me i am we are sorry apologise about the
    this trouble inconvenience patience and kind regards best
    """
)
"""A sentence of these words alone is a courtesy."""
