"""Template -> token ids and mask: which tokens of a conversation a model reads, and which of them it learns.

A token is trained if the model would have to write it itself. For each answer the conversation is rendered up to
the answer (with the generation prompt), up to the answer's end, and as a whole. Each must begin with the one before,
token for token; what the second adds to the first is trained: the answer, the end of turn, and what the template
writes after it. That is TRL's mask of prompt/completion data, `full[len(prompt):]`, for every answer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jinja2

from kit.data import Problem, Reading
from kit.data_report import DataReport, EncodedPair, EncodedRow, EndOfTurn, check_loss, overlap
from kit.formats import Example, Message, RowFault, common_start

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase as Tokenizer

__all__ = ["DataReport", "EncodedPair", "EncodedRow", "check_loss", "encode", "end_of_turn", "overlap", "prompt_ids"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A conversation as text: the whole, and for each trained answer the text before it and up to its end."""

    whole: str
    answers: tuple[tuple[str, str], ...]

    def texts(self) -> list[str]:
        return [self.whole, *(text for answer in self.answers for text in answer)]


# Rows (their places) whose mask is not the plain one, by what had to be done.
Masks = dict[str, set[str]]
LAST_ONLY, APART = "only the last answer is trained", "prompt and answer are kept apart"


def encode(reading: Reading, tokenizer: "Tokenizer", max_length: int) -> DataReport:
    """Encode every example and examine the result.

    A row longer than `max_length` tokens is left out whole: a cut answer would never show its end. Nothing is lost
    in silence: `rows_read == len(rows) + len(lost)`, and each loss has a place and a reason.
    """
    report = DataReport(reading.source, reading.format, max_length, reading.rows_read, end=end_of_turn(tokenizer))
    report.notes, report.lost = list(reading.notes), list(reading.problems)
    rendered: list[tuple[Example, list[Rendered]]] = []
    for example in reading.examples:
        try:
            rendered.append((example, _render_sides(example, tokenizer)))
        except RowFault as fault:
            report.lost.append(Problem(example.where, fault.reason, fault.detail))
    ids = _tokenize((text for _, sides in rendered for side in sides for text in side.texts()), tokenizer)
    masks: Masks = {LAST_ONLY: set(), APART: set()}
    for example, sides in rendered:
        try:
            rows = [_encode_side(side, ids, tokenizer, example.where, masks) for side in sides]
            report.lengths.append(max(len(row.ids) for row in rows))
            _keep(rows, report)
        except RowFault as fault:
            report.lost.append(Problem(example.where, fault.reason, fault.detail))
    report.findings = _template_findings(tokenizer, report.end) + _row_findings(report, reading, tokenizer, masks)
    return report


def _keep(rows: list[EncodedRow], report: DataReport) -> None:
    if report.lengths[-1] > report.max_length:
        raise RowFault(f"longer than max_length {report.max_length}", f"{report.lengths[-1]} tokens")
    if not all(row.trained_tokens for row in rows):
        raise RowFault("no trained token: the template writes nothing for the answer")
    report.rows.append(rows[0])
    if len(rows) == 2:
        report.pairs.append(EncodedPair(*rows))


def prompt_ids(tokenizer: "Tokenizer", messages: Sequence[Message]) -> list[int]:
    """The ids that a model gets before it answers `messages`: the same as the untrained start of a training row."""
    text = render(tokenizer, messages, answer_next=True)
    return _begin(tokenizer) + _tokenize([text], tokenizer)[text]


def render(tokenizer: "Tokenizer", messages: Sequence[Message], *, answer_next: bool = False) -> str:
    """Messages as the model's text, with the generation prompt if `answer_next`.

    A tokenizer without a chat template (a base model) gets the plain text: prompt turns on lines of their own and
    the answer right after them, as it stands in the data.
    """
    if tokenizer.chat_template:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=answer_next))
    texts = [message.content for message in messages]
    return "\n".join(texts) if answer_next else "\n".join(texts[:-1]) + texts[-1]


def end_of_turn(tokenizer: "Tokenizer") -> EndOfTurn | None:
    """The token that ends an answer: what the template writes first after it, else the tokenizer's own end.

    Templates end turns with tokens that are not always `eos_token` (LlamaFactory#7943), so it is found by difference.
    """
    end = tokenizer.eos_token_id
    if tokenizer.chat_template:
        after = _tokenize([text := _around_answer(tokenizer)[1]], tokenizer)[text]
        end = next((token for token in after if token in tokenizer.added_tokens_decoder), None)
    return None if end is None else EndOfTurn(str(tokenizer.convert_ids_to_tokens(end)), int(end))


def _around_answer(tokenizer: "Tokenizer") -> tuple[str, str]:
    """What the template writes between generation prompt and answer, and what it writes after the answer."""
    question, answer = Message("user", "A question"), Message("assistant", "An-Unusual-Answer")
    try:
        prompt = render(tokenizer, [question], answer_next=True)
        before, found, after = render(tokenizer, [question, answer]).rpartition(answer.content)
    except (jinja2.TemplateError, ValueError, TypeError):
        return "", ""  # a template this odd refuses the rows as well, and their losses say why
    return before.removeprefix(prompt) if found and before.startswith(prompt) else "", after if found else ""


def _begin(tokenizer: "Tokenizer") -> list[int]:
    """The BOS that the tokenizer itself puts before plain text; a chat template writes its own (trl#1400)."""
    if tokenizer.chat_template or tokenizer.bos_token_id is None:
        return []
    return [tokenizer.bos_token_id] if tokenizer("")["input_ids"][:1] == [tokenizer.bos_token_id] else []


def _end(tokenizer: "Tokenizer", ids: list[int]) -> list[int]:
    """The end token that plain text lacks."""
    end = tokenizer.eos_token_id
    return [] if end is None or ids[-1:] == [end] else [end]


def _tokenize(texts: Iterable[str], tokenizer: "Tokenizer") -> dict[str, list[int]]:
    """Ids of each distinct text, in one batch; no special tokens are added, the template has written them."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    encoded = tokenizer(distinct, add_special_tokens=False, return_attention_mask=False, verbose=False)
    return dict(zip(distinct, encoded["input_ids"], strict=True))


def _render_sides(example: Example, tokenizer: "Tokenizer") -> list[Rendered]:
    """One conversation, or the two of a pair: there only the turns that differ are trained."""
    if example.rejected is None:
        return [_render(example.messages, 0, tokenizer)]
    shared = common_start(example.messages, example.rejected)
    return [_render(messages, shared, tokenizer) for messages in (example.messages, example.rejected)]


def _render(messages: Sequence[Message], first: int, tokenizer: "Tokenizer") -> Rendered:
    turns = [turn for turn in range(first, len(messages)) if messages[turn].role == "assistant"]
    if not tokenizer.chat_template:
        turns = turns[-1:]  # plain text marks no turns
    try:
        whole = render(tokenizer, messages)
        answers = []
        for turn in turns:
            before = render(tokenizer, messages[:turn], answer_next=True)
            last = turn == len(messages) - 1
            answers.append((before, whole if last else render(tokenizer, messages[: turn + 1])))
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        raise RowFault(f"the chat template refuses the row: {str(error)[:80]}") from None
    return Rendered(whole, tuple(answers))


def _encode_side(
    side: Rendered, ids: dict[str, list[int]], tokenizer: "Tokenizer", where: str, masks: Masks
) -> EncodedRow:
    """Ids and mask of one conversation."""
    whole = ids[side.whole]
    spans = [_span(ids[before], ids[after], whole) for before, after in side.answers]
    if None in spans[:-1]:  # Qwen3's template drops the thinking of a turn once another follows
        spans = spans[-1:]
        masks[LAST_ONLY].add(where)
    if spans[-1] is None:  # a token would join prompt and answer, but in generation the prompt ends where it ends
        before, rest = _split(side)
        whole = ids[before] + _tokenize([rest], tokenizer)[rest]
        spans[-1] = len(ids[before]), len(whole)
        masks[APART].add(where)
    trained = [False] * len(whole)
    for start, stop in filter(None, spans):
        trained[start:stop] = [True] * (stop - start)
    if tokenizer.chat_template:
        return EncodedRow(whole, trained, where)
    begin, end = _begin(tokenizer), _end(tokenizer, whole)
    return EncodedRow(begin + whole + end, [False] * len(begin) + trained + [True] * len(end), where)


def _span(before: list[int], after: list[int], whole: list[int]) -> tuple[int, int] | None:
    """Where an answer begins and ends in `whole`, or None if one is not the beginning of the next."""
    if after[: len(before)] == before and whole[: len(after)] == after:
        return len(before), len(after)
    return None


def _split(side: Rendered) -> tuple[str, str]:
    """The text before the last answer, and the rest.

    Raises:
        RowFault: the template writes the prompt in another way once the answer is there.
    """
    before = side.answers[-1][0]
    if side.whole.startswith(before):
        return before, side.whole.removeprefix(before)
    same = common_start(before, side.whole)
    detail = f"{before[same : same + 30]!r} becomes {side.whole[same : same + 30]!r}"
    raise RowFault("the chat template changes the prompt once the answer is there", detail)


def _template_findings(tokenizer: "Tokenizer", end: EndOfTurn | None) -> list[str]:
    findings = []
    if end is None:
        findings.append("nothing ends an answer (no end-of-turn token): the model will not learn to stop")
    if not tokenizer.chat_template:
        findings.append("no chat template: a row is prompt + answer + end token, and only the last answer is trained")
        return findings
    if end is not None and end.id != tokenizer.eos_token_id:
        findings.append(f"answers end with {end.token!r}, not with eos_token {tokenizer.eos_token!r}: stop at both")
    if written := _around_answer(tokenizer)[0].strip():
        findings.append(f"{written[:40]!r}, which the template adds to each answer, is trained: generation lacks it")
    return findings


def _row_findings(report: DataReport, reading: Reading, tokenizer: "Tokenizer", masks: Masks) -> list[str]:
    """What a person should look at, though training would run."""
    begin, end = tokenizer.bos_token_id, report.end.id if report.end else None
    special = [re.escape(token.content) for token in tokenizer.added_tokens_decoder.values() if token.special]
    marks = re.compile("|".join(special) or "(?!)")  # (?!) matches nothing
    texts = [[message.content for message in example.messages] for example in reading.examples]
    plain = [] if tokenizer.chat_template else texts
    kept = {row.where for row in report.rows}
    checks = {
        "the template rewrites earlier turns, so only the last answer is trained": len(kept & masks[LAST_ONLY]),
        "a token would join prompt and answer; they are kept apart, as in generation": len(kept & masks[APART]),
        "prompt and answer touch (end prompts with a newline)": sum(map(_touch, plain)),
        "no end-of-turn token is trained": 0 if end is None else sum(end not in row.targets for row in report.rows),
        f"two {tokenizer.bos_token!r} at the start": sum(row.ids[:2] == [begin, begin] for row in report.rows),
        "special tokens of the model in the text (formatted twice?)": sum(any(map(marks.search, row)) for row in texts),
    }
    return [f"{count:,} rows: {what}" for what, count in checks.items() if count]


def _touch(texts: list[str]) -> bool:
    return not (texts[-2][-1].isspace() or texts[-1][0].isspace())
