"""What takes an answer back, what refuses one, and what was cut off."""

import re

from selfexec.text.regex import regex

WRONG = r"(?:wrong|incorrect|not\s+(?:right|correct)|mistaken|an?\s+(?:error|mistake))"
OPENER = r"(?:(?:wait|but|however|sorry|oops|no|oh|hm+|actually|hold\s+on)[,.!]?\s+){0,4}"
# said at once after the answer: "that is wrong", "Hmm, it's a mistake."
AT_ONCE = regex(
    rf"(?:[<\[]/?\w+[>\]]|/>|//[^\n]*\n|[\s}}\]),;$~|\\`'\"“”»*._-])*+{OPENER}(?:that|this|it)(?:'s|\s+is|\s+was)\s+(?:actually\s+|clearly\s+)?{WRONG}\s*(?:[.!,;]|$)",
    re.IGNORECASE,
)
# said anywhere after it, of the answer by name
WITHDRAWAL = regex(
    rf"""(?:^\s{{0,30}}|[\n.!?()*}}`>\]$~|\\"”»–—]\s{{0,30}}){OPENER}(?:
        (?:actually,?\s+no|no,?\s+wait|scratch\s+that|strike\s+that|i\s+take\s+that\s+back|never\s?mind)\b
      | (?:please\s+)?(?:disregard|ignore)\s+(?:that|the\s+above|my|everything)\b
      | i\s+(?:was\s+wrong|made\s+an?\s+(?:mistake|error))\s*(?:[.!,;]|$)
      | i\s+(?:retract|withdraw)\s+(?:my|that|this)\b
    )
    | (?P<named>\b(?:this|that|my|the\s+(?:above|previous|earlier|first|json))\s+
      (?:(?:json|first|previous|earlier|own|final|last|given)\s+){{0,3}}
      (?:answer(?:\s+choice)?|choice|ranking|json(?:\s+response)?|order|output)(?:\s+above)?\s+(?:is|was)\s+
      (?:actually\s+|clearly\s+|in\s+fact\s+|also\s+)?{WRONG}\b(?!\s+(?:most|some|about|in\s+\d)))
    | \b(?:answer|choice|it|that|this)\s+(?:is|was|should\s+be|has\s+to\s+be|must\s+be|ought\s+to\s+be)\s+
      (?:actually\s+|rather\s+|really\s+)?the\s+other\s+(?:one|option|answer|choice|letter)\b
    | (?:\bwait|\bno|\bactually|\brather|\bi\s+mean|\bmake\s+(?:it|that)|\bsorry)[,:]?\s+
      the\s+other\s+(?:one|option|answer|choice|letter)\b
    | \bthis\s+(?:json|response)(?:\s+response)?\s+is\s+{WRONG}\s*(?:[.!]|$)""",
    re.VERBOSE | re.IGNORECASE,
)
# no withdrawal is without one of these; the patterns are slow, and most replies have none
WITHDRAWING = (
    *(
        "scratch",
        "strike",
        "never mind",
        "nevermind",
        "disregard",
        "ignore",
        "that back",
        "actually",
        "no, wait",
        "no wait",
    ),
    *("retract", "withdraw", "the other", "was wrong", "made a"),
)
# or else one of these, behind "is" or "was"
CALLED_WRONG = regex(
    r"(?:is|was|'s)\s+(?:actually\s+|clearly\s+|in\s+fact\s+|also\s+)?(?:an?\s+)?(?:wrong|incorrect|not\s|mistake|error)"
)
EXPECTED = regex(r"\b(?:expect|believe|would|likely|probably|if)\b[^.\n]{0,60}$", re.IGNORECASE)
# "B: this choice is incorrect": the line, or the one above it, goes through the choices
OF_ONE_CHOICE = regex(r"[\W_]{0,8}(?:(?:option|choice|answer)\s+)?[A-D][\W_]{0,4}?(?:[.:)]|\s[-–—])", re.IGNORECASE)
# "However, without the list any answer is a guess, so I cannot give one"
GIVING_UP = regex(
    r"""\b(?:so|therefore|thus|hence|however|but|actually)\b[^.!?\n]{0,160}?
        \bI\s+(?:can(?:not|['’]t|\s+not)|am\s+(?:unable|not\s+able)\s+to|will\s+not|won['’]t)\s+
        (?:really\s+|actually\s+|honestly\s+)?
        (?:give|provide|choose|pick|select|determine|name|make|offer|commit\s+to)\s+
        (?:one|any|either|an?\s+(?:\w+\s+){0,2}(?:answer|choice|option|prediction|ranking|order)|the\s+(?:correct\s+)?(?:answer|choice|ranking|order))
        \b(?!\s+of\b)""",
    re.VERBOSE | re.IGNORECASE,
)


def withdrawn(text: str, start: int) -> bool:
    """Whether what was said before `start` is taken back after it. Mere doubt takes nothing back, nor does going
    through the choices.
    """
    tail = text[start : start + 4000]
    lowered = tail.lower()
    if not any(word in lowered for word in WITHDRAWING) and not CALLED_WRONG.search(lowered):
        return False
    found = AT_ONCE.match(tail) or next(
        (f for f in WITHDRAWAL.finditer(tail) if not (f["named"] and _about_one_choice(tail, f.start()))), None
    )
    return found is not None and not EXPECTED.search(tail, 0, found.start() + 1)


def _about_one_choice(text: str, at: int) -> bool:
    lines = text[max(at - 400, 0) : at + 1].rstrip().split("\n")[-2:]
    return any(OF_ONE_CHOICE.match(line) for line in lines)


def given_up(text: str, start: int) -> bool:
    """Whether it is said after an answer that none can be given."""
    tail = text[start : start + 4000]
    refuses = "I can" in tail or "I am " in tail or "I will not" in tail or "I won" in tail
    return refuses and GIVING_UP.search(tail) is not None


REFUSAL = regex(
    r"""\b(?:
        i(?:'m|\s+am)\s+(?:very\s+|really\s+|so\s+)?(?:sorry|unable|not\s+able|not\s+going\s+to)
      | i\s+apologi[sz]e
      | i\s?(?:can(?:not|'t|\s+not)|won't|will\s+not|must\s+(?:decline|refuse)|don't\s+feel\s+comfortable)
      | i\s+(?:have\s+to|respectfully)\s+decline
      | (?:can(?:not|'t)|unable\s+to|not\s+able\s+to|impossible\s+to)\s+(?:\w+\s+){0,2}
        (?:help|assist|answer|provide|rank|predict|determine|make|give|choose)
      | need\s+more\s+(?:information|context|details)
      | (?:please\s+|could\s+you\s+)provide\s+(?:\w+\s+){0,3}(?:information|context|details|question|options?|items?)
      | (?:tut\s+mir\s+leid|kann\s+(?:\w+\s+){0,3}nicht|je\s+ne\s+peux\s+pas|(?:je\s+suis|désolé)\s+désolée?
        |lo\s+siento|no\s+puedo|mi\s+dispiace|non\s+posso|não\s+posso|lamento|desculpe|не\s+могу|извините)\b
    )
    | 无法|不能|抱歉|申し訳|できません|お答えでき|수\s?없|죄송""",
    re.VERBOSE | re.IGNORECASE,
)


WHAT_IS_SHOWN = (
    r"(?:responses?|replies|reply|requests?|prompts?|questions?|messages?"
    r"|texts?|lists?|options?|figures?|passages?|items?|words)"
)
# what is to be judged, answered or ranked is not there
MISSING = regex(
    rf"""\b(?:{WHAT_IS_SHOWN}\b[^.!?\n]{{0,60}}?\b(?:missing|empty|absent|cut\s+off|left\s+out|not\s+(?:been\s+)?(?:included|provided|there|shown|attached|given|visible|present)
        |(?:did\s+not|didn['’]t|has\s+not|hasn['’]t|have\s+not|haven['’]t|was\s+not|wasn['’]t|were\s+not|weren['’]t|isn['’]t|aren['’]t)\b)
      | missing\s+(?:\w+\s+)?{WHAT_IS_SHOWN} | (?:forgot|forgotten)\s+to
      | (?:do\s+not|don['’]t|can(?:not|['’]t)|did\s+not|didn['’]t|only)\s+(?:\w+\s+)?(?:see|find|have|receive|got|get)
      | (?:no|without\s+(?:the|any|a))\s+(?:\w+\s+)?{WHAT_IS_SHOWN}
      | fehl(?:t|en)|nicht\s+(?:enthalten|angekommen|dabei|sehen)|sehe\s+(?:\w+\s+){{0,3}}kein\w*|faltan?
      |no\s+(?:veo|aparece|incluy\w+|está)|manque\w*|ne\s+vois\s+pas)\b
      |没有|缺少|未提供|未包含|看不到|لا\s+(?:أرى|يوجد)|مفقود""",
    re.VERBOSE | re.IGNORECASE,
)
GIVING = r"(?:paste|share|provide|send|resend|re-send|include|add|attach|post|give|copy|repeat|supply|show|upload|tell)"
ASKING_FOR_IT = regex(
    rf"""\b(?:(?:could|can|would|will)\s+you\s+(?:please\s+|kindly\s+)?(?:\w+ly\s+)?{GIVING}
    | please\s+(?:\w+ly\s+)?{GIVING} | (?:once|if|when|as\s+soon\s+as)\s+you\s+{GIVING}
      | (?:send|paste|share)\s+(?:it|them|me|the|over)\b | what\s+(?:was|were|is|are)\s+(?:the
      |your)\s+{WHAT_IS_SHOWN}\b[^.!\n]{{0,20}}\?
      | (?:kannst\s+du|können\s+sie|bitte)\s+(?:\w+\s+){{0,4}}(?:schick|send|einfüg|teil|ergänz|nachreich|ein)\w*
      | (?:podrías?|puedes?|podría|por\s+favor)\s*,?\s+(?:\w+\s+)?(?:peg|envi|envía|compart|proporcion|inclu|mand)\w*
      | (?:pouvez-vous|peux-tu|pourriez-vous|pourrais-tu|veuillez|merci\s+de)\s+(?:\w+\s+){{0,3}}(?:coller|envoyer
      |partager|fournir|inclure|donner))
      |请(?:您|你)?(?:再|重新)?(?:提供|发送|发|粘贴|补充|分享)|(?:يرجى|من\s+فضلك|هل\s+يمكنك)\s+(?:إرسال|تزويد|لصق|مشاركة)""",
    re.VERBOSE | re.IGNORECASE,
)
SO_THAT_I_CAN = regex(
    r"\b(?:so(?:\s+that)?\s+I\s+(?:can|could|may|will\s+be\s+able\s+to)|(?:then|and)\s+I(?:['’]ll|\s+will|\s+can)"
    r"|I(?:['’]ll|\s+will|\s+would)\s+(?:tell\s+you|say|then|be\s+(?:able|happy|glad))|to\s+(?:choose|decide|judge)|damit\s+ich|para\s+que\s+pueda|pour\s+que\s+je\s+puisse)\b"
    r"|才能|以便|حتى\s+أتمكن",
    re.IGNORECASE,
)


def asks_for_what_is_missing(text: str) -> bool:
    """Whether a reply asks for what it was to judge, answer or rank, and says that this is not there, or what it is
    needed for: the options that it names then are those that it would choose from.
    """
    ends = text[:1500] + "\n" + text[-1500:]
    small = ends.lower()
    if small.isascii() and not any(word in small for word in ASKING):
        return False
    return ASKING_FOR_IT.search(ends) is not None and (
        MISSING.search(ends) is not None or SO_THAT_I_CAN.search(ends) is not None
    )


# one of these is in all that asks in the letters of ASCII, in small letters
ASKING = (
    *(
        "ould you",
        "an you",
        "ill you",
        "please",
        "once you",
        "if you",
        "when you",
        "as you",
        "send ",
        "paste ",
        "share ",
    ),
    *(
        "what was",
        "what were",
        "what is",
        "what are",
        "kannst du",
        "bitte",
        "por favor",
        "pued",
        "podr",
        "pouvez",
        "peux",
    ),
    *("veuillez", "merci"),
)
# one of these is in all that REFUSAL finds, in small letters
REFUSING = (
    *("sorry", "able", "going", "apolog", "can", "won't", "will", "decline", "refuse", "comfortable", "impossible"),
    *("need", "provide", "leid", "kann", "peux", "désolé", "siento", "puedo", "dispiace", "posso", "lamento"),
    *("desculpe", "могу", "извините", "无法", "不能", "抱歉", "申し訳", "できません", "お答えでき", "수", "죄송"),
)


def declines(text: str) -> bool:
    """Whether a reply without an answer says that it will not, or cannot, give one."""
    ends = (text[:1500] + "\n" + text[-1500:]).replace("’", "'")
    small = ends.lower()
    return any(word in small for word in REFUSING) and REFUSAL.search(ends) is not None


def ends_in_the_open(text: str) -> bool:
    """Whether a reply stops inside an object, a code block or a sentence: it was cut off."""
    end = text.rstrip()
    if not end:
        return False
    if text.count("```") % 2 or text.rfind("{") > text.rfind("}"):
        return True
    return len(text) - len(end) > 200 or (len(end) > 400 and end[-1].isalnum() and "." in end)
