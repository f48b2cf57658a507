"""The grammar of what may be said, as tables: for each verb, in which mood, on what condition, beside which nouns.

A line of LICENCES reads `head mood condition nouns`. Moods are separated by `/`; `@i` asks for us as the subject, `@you` for
the customer. A noun with `!` is only mentioned there; the others, where they claim something (CLAIMING), must hold as well.
What has no line may not be said.
"""

from relay_lab.desks.support.reply.checks.wordlist import words

FORMS = """
find        find finds found see sees saw
show        show shows
confirm     confirm confirms confirming
reverse     reversed
refunded    refunded
repay       refund credit reimburse repay
eligible    eligible qualifies qualify
due         due
settled     settled
charged     charged
request     request
requested   requested
submit      submit submitted start started initiated issued process processed processing paid credited filed
submit      completed complete executed execute approved approve done
move        move moves switch downgrade cancel upgrade change changes
moved       moved switched downgraded cancelled canceled upgraded
changed     changed
pass        pass passed transfer transferred send sent hand handed forwarded escalated
include     include includes included
end         end ends ended
affect      affect affects
match       match matches
want        want wants like prefer wish
choose      choose pick select
chose       chose
mean        mean
need        need needs
know        know say tell
prove       prove explain establish
ask         ask asks asking
check       check review
verify      verify
read        read
try         try
write       write
help        help
take        take takes took
active      active
stay        stay stays remain remains
lose        lose loses
keep        keep kept retained
open        open valid
expired     expired
void        void withdrawn
recorded    recorded
scheduled   scheduled
schedule    schedule
renew       renews renewed
cost        cost costs
disagree    disagree conflict
agree       agree
outdated    outdated
allow       allow
offer       offer
prepare     prepare
outside     outside
"""

LICENCES = """
be        said               valued             plan plan_name quote charge excess policy record invoice
be        said               valued             incident feature
be        said               ticket_known       ticket
be        said               quote_is_for       quote change plan_name
be        said               price_named        price month plan plan_name
be        said               quote_no_refund    refund
be        offered            quote_pending      price month
be        offered            quote_no_refund    refund
have      said               charges_named      charge excess invoice
have      said               access_named       access feature beta account
have      said               has_feature        feature account
have      denied@i           forbidden          permission record! change policy! incident plan feature
have      denied             no_access          access feature account plan
have      unsure             access_open        access feature
find      said@i             found              charge excess record invoice
find      said@i             found              incident feature
find      said@i             none_in_force      policy force charge change
find      said@i             no_reconciliation  record charge
find      unable@i           not_found          seat price record! plan policy! change feature incident
find      said_you/supposed  always
show      said               record_speaks      record charge excess refund
show      said               access_shown       account access beta feature
show      pledged@i          choice_open        price seat feature start quote plan time change
show      offered@i          choice_open        price seat feature start quote plan time change
confirm   said               record_speaks      record charge excess refund
confirm   supposed@you       choice_open        quote change confirmation
confirm   offered            choice_open        quote change confirmation
confirm   denied             outcome_unknown
confirm   unable@i           billing_open       excess record charge
reverse   said               excess_reversed    charge excess
reverse   denied             not_reversed       charge excess
refunded  said               excess_refunded    charge excess
refunded  denied             not_refunded       charge excess
eligible  said               refund_eligible    policy charge excess refund! flow!
eligible  denied             refund_ineligible  policy charge excess refund! flow!
eligible  unsure             refund_open        refund! flow!
due       said               invoice_due        invoice
settled   said               charges_settled    charge
settled   denied             charges_unsettled  charge invoice
charged   said               excess_found       invoice
charged   unsure             billing_open       invoice
request   offered@you        refund_offer       refund flow specialist
submit    denied             refund_not_sent    refund
requested denied             refund_not_asked   refund
submit    denied             not_changed        change confirmation quote
submit    unable@i           not_executed       change
submit    offered            refund_flow        refund flow specialist
moved     denied             not_changed        plan account
move      denied             nothing_until
move      offered@you        choice_open        plan plan_name
changed   denied             not_changed        plan account
changed   said               voided_by          plan price policy
pass      offered@i          may_transfer       question request record specialist person
pass      said               handed_off         question request record specialist person plan ticket feature
pass      denied/unable      not_handed_off     question request record specialist person plan feature
include   said               feature_included   plan plan_name account feature
include   denied             feature_excluded   plan plan_name account feature
include   unsure             feature_asked      plan account feature
end       said               ended              beta access!
end       offered            seats_end          access! seat
affect    said               incident_known     incident feature
affect    unsure             incidents_open     incident feature
match     supposed           always             record
want      supposed@you       choice_open        seat plan change
want      supposed@you       refund_offer       refund
want      supposed@you       always
want      offered@you        choice_open        plan seat quote change
want      said_you           choice_open        plan change seat quote
choose    offered/supposed   choice_open        plan plan_name seat price month quote
chose     said@you           voided_by          plan seat
mean      said_you           feature_open       feature
mean      offered            consequences       change seat
need      said               specialist_needed  specialist person change cancellation plan! question request feature
need      said               sign_in_needed     sign change
need      said_you           always
know      denied/unable@i    always
know      offered            always
know      offered            choice_open        plan seat
know      offered            feature_open       feature
prove     denied             always             cause
prove     unable@i           always
ask       said               question_asked     message question
ask       supposed@i         always             quote change confirmation
check     pledged@i          checking           record plan account feature
verify    unable@i           unverified         sign account
read      denied/unable@i    not_read           record! policy! message plan feature change incident
read      denied/unable@i    unread_message     message
try       offered@i          not_handed_off     message
write     offered            unread_message     word message
help      offered@i          always
help      unable@i           outside_service    question request
take      denied@i           not_taken          message confirmation
take      said               takes_effect       change effect
take      offered            quote_pending      change effect
active    said               is_active          incident beta
stay      said/pledged       stays              account plan plan_name
stay      offered            seats_stay         seat
lose      offered            features_lost      feature
lose      offered            no_feature_lost    feature
lose      denied             none_lost          seat access! feature
keep      offered/pledged    data_kept          data
keep      denied             data_not_kept      data
open      said               quote_open         quote
expired   said               quote_expired      quote
void      said               quote_void         quote
recorded  unsure             outcome_unknown    change plan_name
recorded  denied             not_recorded       change
scheduled said               scheduled          change plan plan_name schedule
scheduled denied             not_scheduled      change plan
schedule  offered@i          schedule_offer     change
schedule  denied             forbidden          change
renew     said               renews             plan plan_name account
cost      said               price_named        plan plan_name month
cost      offered            quote_pending      plan plan_name month change
disagree  said               conflicting        record plan feature account incident policy change
agree     denied             conflicting        record policy
outdated  said               stale              record plan feature account incident policy change
allow     denied             not_allowed        account terms change
offer     unable@i           no_offer           confirmation
prepare   offered@i          choice_open        quote
outside   said               outside_service    service question request
"""

CLAIMING = """
charge    said      charges_known
charge    denied    no_charges
charge    unable    billing_open
excess    said      excess_found
excess    denied    no_excess
excess    unsure    billing_open
excess    unable    billing_open
refund    said      never
refund    denied    no_refund
refund    offered   refund_offer
refund    supposed  refund_offer
incident  said      incident_active
incident  denied    incident_none
incident  unsure    incidents_open
incident  unable    incidents_open
beta      said      beta_runs
beta      past      had_access
access    said      has_access
access    past      had_access
access    denied    no_access
access    unsure    access_open
record    none      no_reconciliation
policy    none      none_in_force
feature   none      none_lost
"""
"""A claiming noun, the mood it stands in (`none`: "no feature" as an object), the condition of what it then says."""

TOPICS = {
    "billing_duplicate": words(
        "charge excess refund reverse refunded repay eligible due settled charged invoice"
    ),
    "feature_access": words("incident include affect access beta"),
    "subscription_change": words(
        """
        renew scheduled schedule recorded lose keep open expired void seat quote renewal effect data moved cost choose stay
        change
        """
    ),
}
"""The concepts that belong to one type of issue."""

SHARED = {
    ("refund", "subscription_change"),
    ("access", "subscription_change"),
    ("include", "subscription_change"),
}

EFFECTS = words(
    "submit move moved changed pass scheduled schedule recorded refunded repay reverse refund take request requested end"
)
"""Heads and nouns whose false assertion calls something done that is not."""

PAIRS = {
    ("billing", "question"): "billing_duplicate",
    ("billing", "team"): "billing_duplicate",
    ("billing", "records"): "billing_duplicate",
    ("plan", "question"): "subscription_change",
    ("feature", "records"): "feature_access",
    ("incident", "records"): "feature_access",
    ("a", "person"): "human_request",
}
"""Two words that name a topic -> the one type of issue it is said of."""
