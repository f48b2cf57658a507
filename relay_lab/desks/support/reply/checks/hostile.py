"""Words that no reply may use and that tell what is wrong with a draft. They choose the code of a refusal and allow nothing."""

from relay_lab.desks.support.reply.checks.wordlist import words
from relay_lab.desks.support.reply.material import RefusalCode

HOSTILE: dict[RefusalCode, frozenset[str]] = {
    "early_completion": words(
        """
        refunding credit reimbursed reimbursement reimbursing fixed resolved solved sorted handled finished finalised finalized
        implemented effected activated deactivated updated applied authorised authorized granted issued repaid returned
        returning reversal way underway queued dispatched triggered launched lodged placed booked arranged secured taken care
        submitting sending money cash back funds restored reactivated unlocked enabled removed dropped converted migrated
        lowered reduced credits successful successfully success ready set gone accepted logged registered noted actioned
        """
    ),
    "promise": words(
        """
        soon shortly promptly immediately instantly momentarily asap later within days day weeks week hours hour minutes minute
        months years year arrive arrives arrived arriving expect expected expects guarantee guaranteed guarantees promise
        promised promises definitely certainly surely always rest going gonna expedite expedited quickly fast eventually ensure
        ensures assure assured bound
        """
    ),
    "ungrounded_date": words(
        "today tomorrow tonight yesterday noon midnight afternoon evening weekend fortnight quarter now"
    ),
    "ungrounded_amount": words("cents cent bucks quid penny pennies fee fees discount free"),
    "ungrounded_number": words(
        "half several many multiple few dozens hundreds thousands percent numerous every all none"
    ),
    "forbidden_content": words(
        """
        password passwords passcode pin cvv cvc iban ssn token tokens credential credentials secret secrets otp login card
        cards passport code codes http https www html javascript tool tools function prompt prompts instruction instructions
        email phone call click link url website
        """
    ),
}

FOREIGN = words(
    """
    el la los las del que una su sus por para con esta este está y pero muy gracias hola de le les des est pas vous votre nous
    une du et ou mais pour avec sur merci bonjour je il elle der das und ist nicht sie ihr ihre wir ich ein eine den dem mit
    für auf von zu wurde haben hat sind danke hallo het een van niet uw zijn wij dank voor della degli delle non che sono
    è lo gli grazie ciao não foi seu sua você obrigado uma em os da na nie jest dla oraz och att det som inte är på din
    """
)
"""Function words of other languages that are no English words."""

COMMON = words(
    """
    he she his her him hers ours theirs mine yours myself who whom whose just even ever never very much most some such into
    over after above below between out off down both nor too during let get got gets make made makes go goes went come came
    give gave given said says think great better right left old last first long little own part people thing things times work
    works worked problem problems issue issues number fact point world life hand high small large early young important public
    bad able happy glad pleased yes okay ok sure absolutely congratulations everything something anything someone anyone
    everyone nobody often maybe perhaps must might may should ought look looks looking worry worries customer hereby without
    except unless regardless however therefore otherwise moreover end bank statement truth true false wrong mistake error
    errors fault company system systems database server bug glitch technical department manager supervisor office
    """
)
"""Frequent English words that are in no other list: they tell an English draft from one that is not."""

ENGLISH = COMMON.union(*HOSTILE.values())


def code_of(word: str) -> RefusalCode | None:
    """What the word says of its draft, or None when it says nothing in particular."""
    return next((code for code, listed in HOSTILE.items() if word in listed), None)
