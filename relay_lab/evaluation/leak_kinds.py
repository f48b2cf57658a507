"""What gives away a secret or a model's reasoning by its look alone, whoever it belongs to."""

import re
from collections.abc import Iterator
from itertools import pairwise

_PATTERNS: dict[str, re.Pattern[str]] = {
    # The word alone is English ("a basic subscription"); what follows must look made by a machine.
    "authorization header": re.compile(
        r"\b(?i:bearer|basic|digest|negotiate)\s+(?=\S*(?:\d|[a-z][A-Z]))[A-Za-z0-9+/=._~-]{8,}"
    ),
    "signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"),
    "private key": re.compile(r"-----\s?BEGIN|PuTTY-User-Key-File|AGE-SECRET-KEY-1"),
    "provider key": re.compile(
        r"""(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[0-9A-Z]{16} | sk-[A-Za-z0-9_-]{16,} | [sr]k_(?:live|test)_[A-Za-z0-9]{10,}
        | gh[opusr]_[A-Za-z0-9]{20,} | github_pat_\w{20,} | glpat-[\w-]{16,} | xox[abeprs]-[\w-]{10,} | AIza[\w-]{30,}
        | ya29\.[\w-]{16,} | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{20,} | pypi-[\w-]{20,} | SG\.[\w-]{16,}\.[\w-]{16,}
        | shpat_[0-9a-f]{20,} | dop_v1_[0-9a-f]{20,} | whsec_\w{16,} | (?i:https://hooks\.slack\.com/services/\S+))""",
        re.VERBOSE,
    ),
    "credential in words": re.compile(
        r"""(?<![^\W_])(?:pass(?:word|phrase|code|wd)?|pwd|secret|(?:api|access|private|secret)[-_ ]?key|client[-_ ]?secret
        |(?:access|refresh|session|auth|id|csrf)?[-_ ]?token|session[-_ ]?id|otp|one[- ]time[- ](?:code|password)|credentials?
        |(?:verification|security|login)[- ]code|pin|cvv2?|cvc2?|contraseña|clave|passwort|kennwort|şifrem?|parola|challenge)
        ["']?\s*(?:(?:is|was|lautet|ist|es)\s+["'“]?(?=\S*[\d!@#$%^&*_+=])\S{3,} | [:=]\s*["'“]?(?!null\b|none\b|"|')\S{3,})""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "address with a credential": re.compile(
        r"""[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@
        | [?&\#](?:access_token|id_token|token|api_?key|key|secret|password|sig|signature|session)=[^&\s"']{6,}""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "cookie": re.compile(
        r"\bset-cookie\b|\b(?:session|sid|sessionid|jsessionid|phpsessid)=[\w%.+/-]{8,}", re.IGNORECASE
    ),
    "reasoning": re.compile(
        r"""</?\s*(?:think|thinking|thoughts?|reasoning|scratchpad|reflection|analysis)\s*> | \[/?think\] | <\|[^|<>\s]{2,40}\|>
        | \bchain[- ]of[- ]thoughts?\b | \blet(?:['’]s|\ me|\ us)\ think\b | \bthink(?:ing)?\ step[- ]by[- ]step\b
        | \b(?:my|internal|hidden|the\ model['’]s)\ (?:reasoning|monologue|scratchpad)\b | \bas\ an\ ai\b
        | \bthe\ (?:user|customer)\ (?:wants|seems|is\ asking|probably)\b
        | \bi\ (?:should|need\ to)\ (?:answer|respond|reply|call)\b
        | ^\s*(?:thought|action|observation|reasoning|rationale|analysis)\s*\d*\s*:""",
        re.IGNORECASE | re.VERBOSE | re.MULTILINE,
    ),
    "raw answer": re.compile(r"""["']issues["']\s*:\s*\[\s*\{[^}]*["']span["']"""),
}

_SECRET_FIELD = re.compile(
    r"pass(?:word|phrase|wd)?|pwd|secret|.*_secret|(?:api|access|private)_?key|authorization|cookie|.*_?token"
    r"|session_?id|sid|otp|pin|cvv|cvc|credentials?|challenge",
    re.IGNORECASE,
)
_REASONING_FIELD = re.compile(
    r"reasoning(?:_content|_details|_text)?|thinking|thoughts?|chain_of_thought|cot|scratchpad|rationale|logprobs"
    r"|raw_(?:answer|output|response)|system_prompt|prompt|draft",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\w.-])\d(?:[ .\-]?\d){12,18}(?![\w-])")
_ISSUER = re.compile(r"4|5[0-9]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|3[0-9]|6")
_RUN = re.compile(r"(?<![\w-])[A-Za-z0-9_-]{24,}(?![\w-])")
_DIGEST = re.compile(r"(?:[A-Z]+-)?[0-9a-f]{32,64}")


def kinds_in(text: str) -> Iterator[tuple[str, str]]:
    """Each kind of secret or reasoning that `text` looks like it holds, with the part that does."""
    for kind, pattern in _PATTERNS.items():
        found = pattern.search(text)
        if found:
            yield kind, found[0]
    for found in _DIGITS.finditer(text):
        if is_card(found[0]):
            yield "card number", found[0]
    for found in _RUN.finditer(text):
        if is_random(found[0]):
            yield "random token", found[0]


def kind_of_field(name: str) -> str | None:
    """What a field of this name would hold if it held a text: a secret, a model's reasoning, or neither."""
    if _SECRET_FIELD.fullmatch(name):
        return "secret field"
    return "reasoning" if _REASONING_FIELD.fullmatch(name) else None


def is_card(text: str) -> bool:
    """Whether these digits are a card number: an issuer's first digits, and the check digit of Luhn."""
    digits = [int(char) for char in text if char.isdigit()]
    doubled = (2 * digit - 9 * (digit > 4) for digit in digits[-2::-2])
    known = _ISSUER.match("".join(map(str, digits))) is not None and len(set(digits)) > 1
    return known and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_random(text: str) -> bool:
    """Whether a run of letters and figures changes between small, capital and figure as often as chance would have it.

    An id of ours changes at its dashes and hardly elsewhere; a digest opens nothing.
    """
    if _DIGEST.fullmatch(text):
        return False
    classes = [_class(char) for char in text]
    changes = sum(one != other and "dash" not in (one, other) for one, other in pairwise(classes))
    return {"small", "capital", "figure"} <= set(classes) and changes * 4 >= len(text)


def _class(char: str) -> str:
    if char.isdigit():
        return "figure"
    return "capital" if char.isupper() else "small" if char.islower() else "dash"
