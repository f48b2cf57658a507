"""The words a reply may be made of. A word in no list here is refused: nobody could say what it claims."""

from relay_lab.desks.support.reply.checks.wordlist import lines, words

FREE = words(
    """
    a an the these those it its they them their i me my we us our you your yourself of in on at to for from with by through
    under against about as per also too so then there yet still well again together please only alone each another other any more
    instead currently far earlier previously already reliably here before until than and or but if whether when once because
    though although while which that what who why how where this same up
    """
)
"""Words that carry no claim of their own."""

BE = words("am is are was were be been being")
HAVE = words("has have had")
DO = words("do does did")
MODAL = words("can could would will shall")
NEGATORS = words("not cannot no nothing")
AUXILIARY = BE | HAVE | DO | MODAL
PAST = words("was were had did been")
ADVERBS = words("yet so far currently also only still already again alone")
PRONOUNS = words("you i we it they this these that there")

LEADS = words(
    "if whether when once because though although while which that what who why how where until before after since"
)
"""Words that open a clause of their own."""

LINKS = words("and or but so")

ADJECTIVES = words(
    """
    active immediate previous prior earlier current new lower higher own support billing verified exact next project different
    effective target stronger human settled open eligible designated reconciliation
    """
)
"""Words that only narrow the noun after them."""

NOUNS = {
    surface: concept
    for concept, *surfaces in lines(
        """
        charge        charge charges transaction transactions
        excess        excess duplicate duplicates
        refund        refund refunds
        incident      incident incidents outage outages
        access        access
        invoice       invoice invoices
        record        record records reconciliation evidence
        policy        policy policies
        plan          plan plans subscription
        account       account
        price         price prices tax
        month         month
        seat          seat seats
        feature       feature features
        quote         quote quotes
        ticket        ticket
        specialist    specialist specialists team billing
        person        person
        message       message
        question      question questions
        request       request requests
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
        sign          sign
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

FRAMING = words(
    "record records policy flow process question questions request requests team specialist changes terms"
)
"""Nouns that turn the noun before them into the name of a kind ("incident records"): it then says nothing by itself."""

COURTESY = words(
    """
    hello hi dear good morning thank thanks you for your message writing to us telling me i am we are sorry apologise about the
    this trouble inconvenience patience and kind regards best
    """
)
"""A sentence of these words alone is a courtesy."""
