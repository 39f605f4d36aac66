"""Hypotheses from audio by pocketsphinx, whose wheel carries an English acoustic model and a dictionary.

pip install 'fedtopics[speech]'
"""

import wave
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fedtopics import files
from fedtopics.applications.speech import arpa
from fedtopics.applications.speech.ngrams import NGramModel
from fedtopics.applications.speech.rescoring import Hypothesis
from fedtopics.documents.text.harmless import shown_path
from fedtopics.errors import InputError

RATE = 16_000  # samples per second of the acoustic model
SHIFT = 1024  # the search divides all scores by this


def pronunciations() -> dict[str, list[str]]:
    """How words sound: the lines of the wheel's dictionary by their word."""
    path = Path(_pocketsphinx().get_model_path()) / "en-us" / "cmudict-en-us.dict"
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        found.setdefault(line.split()[0].partition("(")[0], []).append(line)
    return found


class Recognizer:
    """A decoder with the acoustic model of the wheel.

    language   the n-gram model to search with (`arpa.read` gives one); the wheel's general English where None
    """

    def __init__(self, language: NGramModel | None = None) -> None:
        decoder = _pocketsphinx().Decoder
        if language is None:
            self.decoder = decoder(samprate=RATE, loglevel="FATAL")
            return
        sounds = pronunciations()
        known = [line for word in language.vocabulary for line in sounds.get(word, ())]
        if not known:
            raise InputError("expected a language model with English words in lower case, got none of them")
        # Words that it does not list are left out of the dictionary: they make loading slow.
        with TemporaryDirectory() as folder:
            model, dictionary = Path(folder) / "model.arpa", Path(folder) / "words.dict"
            arpa.write(language, model)
            files.publish(dictionary, "\n".join(known) + "\n")
            self.decoder = decoder(
                samprate=RATE, loglevel="FATAL", lm=str(model), dict=str(dictionary), mmap=False
            )

    def hypotheses(self, audio: bytes, most: int = 20) -> tuple[Hypothesis, ...]:
        """At `most` so many word sequences for `audio` (16-bit samples), the best first; scores are logs.

        The first is the decoder's own result; of one word sequence heard in several ways the best counts.
        """
        if not audio or len(audio) % 2:
            raise InputError(f"expected samples of 2 bytes, got {len(audio)} bytes")
        self.decoder.start_utt()
        self.decoder.process_raw(audio, full_utt=True)
        self.decoder.end_utt()
        found: dict[tuple[str, ...], float] = {}
        for _, each in zip(range(10 * most), self.decoder.nbest(), strict=False):
            if each is None:  # nothing was heard
                break
            words = tuple(each.hypstr.split())
            found[words] = max(found.get(words, -float("inf")), SHIFT * log(max(each.score, 1e-300)))
            if len(found) == most:
                break
        best = self.decoder.hyp()
        first = tuple(best.hypstr.split()) if best else ()
        found[first] = max(found.values(), default=0.0)
        ordered = sorted(found, key=lambda words: (words != first, -found[words]))
        return tuple(Hypothesis(words, found[words]) for words in ordered)


def _pocketsphinx() -> Any:
    try:
        import pocketsphinx
    except ImportError:
        raise InputError("speech needs pocketsphinx; pip install 'fedtopics[speech]'") from None
    return pocketsphinx


def samples(path: str | Path) -> bytes:
    """The 16-bit samples of the WAV file at `path`, at the rate of the model; other audio is refused."""
    name = shown_path(path)
    try:
        files.check_regular(Path(path))
        with wave.open(str(path), "rb") as file:
            kind = (file.getframerate(), file.getnchannels(), 8 * file.getsampwidth())
            announced = file.getnframes()
            audio = file.readframes(announced)
    except (wave.Error, EOFError) as error:
        raise InputError(f"expected a WAV file, got another: {name} ({error or 'it ends early'})") from None
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from None
    if kind != (RATE, 1, 16):
        rate, channels, bits = kind
        raise InputError(
            f"expected {RATE} samples a second, 1 channel, 16 bits, got {rate}, {channels} and {bits} "
            f"in {name}; resample it first"
        )
    if not announced or len(audio) != 2 * announced:
        raise InputError(f"expected {announced or 'some'} samples, got {len(audio) // 2} in {name}")
    return audio
