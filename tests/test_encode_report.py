"""Lengths, losses, duplicates and pairs: what the data doctor keeps, leaves out and says."""

import json
import time
from dataclasses import replace

import pytest
from encode_helpers import SPECIAL, as_dicts, learnt, reading, talk

from kit.data import Problem, Reading, read
from kit.encode import check_loss, encode, overlap
from kit.errors import KitError

# --- lengths, losses, report ---------------------------------------------------------------------------------------


def words(count: int) -> str:
    return " ".join(["fire"] * count)


def test_a_long_row_is_left_out_whole(chatml):
    """transformers cuts it, so that the answer's end is never seen; TRL drops it in silence (trl#1053)."""
    report = encode(reading(talk("a", "b"), talk(words(200), "b")), chatml, 64)
    assert [row.where for row in report.rows] == ["rows.jsonl:1"]
    (problem,) = report.lost
    assert (problem.where, problem.reason) == ("rows.jsonl:2", "longer than max_length 64")
    assert max(report.lengths) > 200
    assert report.histogram()[-1] == (65, None, 1)
    exact = len(report.rows[0].ids)
    assert len(encode(reading(talk("a", "b")), chatml, exact).rows) == 1
    assert len(encode(reading(talk("a", "b")), chatml, exact - 1).rows) == 0


def test_check_loss_names_the_max_length_that_helps(chatml):
    data = reading(*[talk(words(n), "b") for n in [*range(1, 96), *[300] * 5]])
    report = encode(data, chatml, 64)
    with pytest.raises(KitError, match=r"of 100 rows would be lost.*allowed 1\.0%.*longer than max_len") as caught:
        check_loss(report, 0.01)
    most, everything = report.length_that_keeps(0.95), report.length_that_keeps(1)
    assert f"max_length {most} keeps 95 % of the encoded rows, {everything} keeps all" in caught.value.fix
    assert most % 32 == everything % 32 == 0
    assert len(encode(data, chatml, most).rows) >= 95 > len(encode(data, chatml, most - 32).rows)
    assert len(encode(data, chatml, everything).rows) == 100 > len(encode(data, chatml, everything - 32).rows)
    check_loss(encode(data, chatml, everything), 0.0)


def test_check_loss_boundary_and_problems_of_the_reading(chatml):
    """The rows that reading lost count as well; exactly the allowed share may be lost."""
    data = reading(*[talk("a", "b")] * 99)
    data = replace(data, problems=(Problem("rows.jsonl:100", "content is null", "messages[1]"),), rows_read=100)
    report = encode(data, chatml, 64)
    check_loss(report, 0.01)
    with pytest.raises(KitError, match=r"1 of 100 rows.*1 x rows.jsonl:100: content is null \(messages\[1\]\)"):
        check_loss(report, 0.009)


def test_nothing_left_is_an_error_whatever_is_allowed(chatml):
    with pytest.raises(KitError, match=r"none is left to train on.*max_length 64 keeps all"):
        check_loss(encode(reading(talk("a", "b")), chatml, 4), 1.0)


def test_report_reads_well_and_is_json(chatml):
    conversations = [talk(words(n % 40 + 1), words(n % 7 + 1)) for n in range(100)]
    data = reading(*conversations, talk(words(300), "b"))
    problems = tuple(Problem(f"rows.jsonl:{200 + n}", f"reason {n % 9}") for n in range(30))
    report = encode(replace(data, problems=problems, rows_read=131, notes=("read as JSON Lines",)), chatml, 100)
    assert report.rows_read == len(report.rows) + len(report.lost)
    text = report.text()
    assert len(text.splitlines()) <= 25
    for part in ("131 rows read, 100 kept, 31 lost (23.7%)", "read as JSON Lines", "max_length 100", "|####"):
        assert part in text
    for part in ("over 100 |## 1 lost", "trained tokens a row: min", "end of turn: '<|im_end|>'", "duplicate rows"):
        assert part in text
    values = json.loads(json.dumps(report.as_dict()))
    assert (values["rows_kept"], values["rows_lost"], len(values["lost_first"])) == (100, 31, 20)
    assert sum(values["lost_by_reason"].values()) == 31
    assert sum(bar["rows"] for bar in values["histogram"]) == 101
    assert values["end_of_turn"] == {"token": "<|im_end|>", "id": SPECIAL.index("<|im_end|>")}


def test_report_of_nothing(chatml):
    data = Reading((), (Problem("a:1", "truncated JSON"),), 1, "chat messages", "a")
    report = encode(data, chatml, 100)
    assert "1 lost (100.0%)" in report.text()
    assert report.as_dict()["tokens"] is None
    with pytest.raises(KitError, match="truncated JSON"):
        check_loss(report, 0.5)


def test_duplicates_and_overlap(chatml):
    train = encode(reading(talk("a", "b"), talk("a", "b"), talk("c", "d")), chatml, 100)
    evaluation = encode(reading(talk("a", "b"), talk("c", "other"), talk("e", "f")), chatml, 100)
    assert train.duplicates == 1
    assert overlap(train, evaluation) == 2
    assert overlap(train, evaluation, whole_rows=True) == 1


# --- preference pairs ----------------------------------------------------------------------------------------------


def test_pairs_share_their_prompt_and_train_only_what_differs(chatml):
    chosen, rejected = talk("a", "b", "c", "good"), talk("a", "b", "c", "bad one")
    report = encode(reading(chosen, rejected=rejected), chatml, 100)
    (pair,) = report.pairs
    assert pair.chosen.prompt == pair.rejected.prompt
    assert learnt(pair.chosen, chatml) == "good<|im_end|>\n"
    assert learnt(pair.rejected, chatml) == "bad one<|im_end|>\n"
    assert report.rows == [pair.chosen]
    assert "answers: chosen min" in report.text()


def test_a_pair_is_as_long_as_its_longer_side(chatml):
    report = encode(reading(talk("a", "b"), rejected=talk("a", words(100))), chatml, 64)
    assert (report.pairs, report.rows) == ([], [])
    assert report.lost[0].reason == "longer than max_length 64"


# --- all together --------------------------------------------------------------------------------------------------


def test_encoding_costs_little_more_than_the_chat_template(chatml, tmp_path):
    """Both sides take turns and the best turn counts, so that a slow or busy machine slows both: 1.2 to 1.9 seen."""
    rows = [{"messages": as_dicts(talk(words(n % 60 + 1) + str(n), words(12)))} for n in range(2000)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    seconds = ([], [])
    for _ in range(3):
        start = time.perf_counter()
        report = encode(read(path), chatml, 256)
        seconds[0].append(time.perf_counter() - start)
        start = time.perf_counter()
        for row in rows:
            chatml.apply_chat_template(row["messages"], tokenize=True)
        seconds[1].append(time.perf_counter() - start)
    ours, template = map(min, seconds)
    assert (len(report.rows), report.duplicates) == (2000, 0)
    assert ours < 4 * template
