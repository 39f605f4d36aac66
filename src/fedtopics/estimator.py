"""Plain, non-private LDA with the interface of scikit-learn: `fedtopics.LDA` (extra `fedtopics[sklearn]`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.counts import Tokens, hiding_texts, scaled_tokens, weighted_tokens, whole_tokens
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.model import TopicModel
from fedtopics.progress import bar
from fedtopics.sampling import lda, one_topic
from fedtopics.sampling.arguments import thread_count
from fedtopics.sampling.gpu.using import using
from fedtopics.sampling.guidance import Guidance
from fedtopics.sampling.training import Schedule, Trained, train

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import Tags, check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise InputError("fedtopics.LDA needs scikit-learn: pip install 'fedtopics[sklearn]'") from None

DEFAULT_ALPHA, DEFAULT_BETA = 0.1, 0.05


class LDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Latent Dirichlet allocation by collapsed Gibbs sampling.

    `X` is a matrix of counts, documents x words, dense or sparse, or a `fedtopics.Corpus`; `y` is ignored.
    Counts may be fractions: `fit` gives tokens weights, `transform` reads them in steps of 1/64, `perplexity`
    rounds them.

    n_components       number of topics
    doc_topic_prior    Dirichlet prior of a document's topics: one number, or one for each topic (default 0.1)
    topic_word_prior   Dirichlet prior of a topic's words: one number (default 0.05)
    optimize_doc_topic_prior, optimize_topic_word_prior   fit these priors to the data while training
    max_iter           sweeps over all tokens
    one_topic          whether each document is of one topic, as short texts are: a mixture of unigrams, whose
                       `transform` gives the chance of each topic; counts must be whole numbers
    seed_words         words that must be in a topic: {topic: [words]} or a list of lists; words are those of
                       the corpus or the names of columns, or else numbers of columns
    vocabulary         the word of each column where X does not name them, as no sparse matrix does: a list,
                       or the vectorizer that makes X, as in
                       `make_pipeline(words := CountVectorizer(), LDA(vocabulary=words))`
    sampler            "auto", "gibbs", "warp" or "metropolis" (see `fedtopics.sampling.lda`)
    device             "cpu", "cuda" (`fedtopics[gpu]`), or "auto": a GPU if there is one and much to do. The
                       bits are the same; it has the sampler warp alone, on whole counts, unguided
    random_state       same seed, same topics, bit for bit, whatever n_jobs
    n_jobs             number of threads; -1 for all cores
    verbose            show a progress bar

    After `fit`: `components_`, the tokens of each word in each topic plus the prior, shape (n_components,
    n_words); `doc_topic_prior_`, `topic_word_prior_`, `n_iter_`; and `model_`, a `fedtopics.TopicModel`.

    >>> counts = [[4, 3, 0, 0], [5, 2, 0, 0], [0, 0, 3, 3], [0, 0, 2, 6]]
    >>> mixtures = LDA(n_components=2, max_iter=50, random_state=0).fit_transform(counts)
    >>> [int(topic) for topic in mixtures.argmax(axis=1) == mixtures.argmax(axis=1)[0]]
    [1, 1, 0, 0]
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: ArrayLike | None = None,
        topic_word_prior: float | None = None,
        optimize_doc_topic_prior: bool = False,
        optimize_topic_word_prior: bool = False,
        max_iter: int = 200,
        one_topic: bool = False,
        seed_words: Mapping[int, Sequence[Any]] | Sequence[Sequence[Any]] | None = None,
        vocabulary: Any = None,
        sampler: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.optimize_doc_topic_prior = optimize_doc_topic_prior
        self.optimize_topic_word_prior = optimize_topic_word_prior
        self.max_iter = max_iter
        self.one_topic = one_topic
        self.seed_words = seed_words
        self.vocabulary = vocabulary
        self.sampler = sampler
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: None = None) -> "LDA":
        """Learn topics from the documents of X."""
        with hiding_texts():
            self._random = check_random_state(self.random_state)
        return self._learn(self._tokens(X, reset=True), counts=None)

    def partial_fit(self, X: Any, y: None = None) -> "LDA":
        """Learn from more documents: those seen before keep their topics and guide the new ones."""
        if not hasattr(self, "components_"):
            return self.fit(X)
        return self._learn(self._tokens(X, reset=False), counts=self._word_topic)

    def transform(self, X: Any) -> NDArray[Any]:
        """Topic mixtures of the documents of X, shape (n_docs, n_components); rows sum to one."""
        check_is_fitted(self)
        with using(self.device):
            return self._mixtures(X)

    def _mixtures(self, X: Any) -> NDArray[Any]:
        if isinstance(X, Corpus):
            if self.one_topic:
                return self._chances(self.model_.read(X))
            return self.model_.transform(X, n_threads=self._n_threads())
        counts = self._counts(X, reset=False)
        if self.one_topic:
            return self._chances(whole_tokens(counts, self.model_.vocabulary)).astype(counts.dtype)
        corpus, scale = scaled_tokens(counts, self.model_.vocabulary)
        # Mixtures do not change when counts and prior grow by the same factor.
        prior, n_threads = self.doc_topic_prior_ * scale, self._n_threads()
        theta = lda.fold_in(corpus, self.model_.topic_word, prior, n_threads=n_threads)
        return theta.astype(counts.dtype)

    def perplexity(self, X: Any) -> float:
        """Held-out perplexity of the documents of X by document completion (docs/reference/evaluation.md)."""
        check_is_fitted(self)
        if isinstance(X, Corpus):
            test = self.model_.read(X)
        else:
            test = whole_tokens(self._counts(X, reset=False), self.model_.vocabulary)
        with using(self.device):
            return perplexity(self.model_, test, n_threads=self._n_threads())

    def score(self, X: Any, y: None = None) -> float:
        """Mean log-likelihood of a held-out token, -log(perplexity): higher is better."""
        return -float(np.log(self.perplexity(X)))

    def _chances(self, corpus: Corpus) -> NDArray[Any]:
        return one_topic.chances(corpus, self.model_.topic_word, self.components_.sum(axis=1))

    def _one_topic(self, tokens: Tokens, priors: lda.Priors, counts: NDArray[np.float64] | None) -> Trained:
        if tokens.weights is not None or self.seed_words is not None:
            given = "fractions" if tokens.weights is not None else "seed_words"
            raise InputError(f"one_topic needs whole counts and no seed words, got {given}; leave one out")
        with bar("LDA", total=self.max_iter, shown=bool(self.verbose)) as progress:
            found = one_topic.train(
                tokens.corpus,
                self.n_components,
                beta=priors.beta,
                seed=int(self._random.randint(2**31 - 1)),
                n_rounds=self._schedule().n_sweeps,
                earlier=counts,
                on_round=progress.advance,
            )
        return Trained(found if counts is None else found - counts, priors)

    def _learn(self, tokens: Tokens, counts: NDArray[np.float64] | None) -> "LDA":
        trained = self._trained(tokens, counts)
        self._word_topic = trained.word_topic if counts is None else counts + trained.word_topic
        self.doc_topic_prior_, self.topic_word_prior_ = trained.priors.alpha, trained.priors.beta
        self.n_iter_ = self.max_iter
        self.components_ = self._word_topic.T + self.topic_word_prior_
        self.model_ = TopicModel.from_counts(
            self._word_topic.T,
            tokens.corpus.vocabulary,
            alpha=self.doc_topic_prior_,
            beta=self.topic_word_prior_,
            card={"method": "LDA", "privacy": "none"},
        )
        return self

    def _trained(self, tokens: Tokens, counts: NDArray[np.float64] | None) -> Trained:
        priors = self._priors()
        self._check_device(tokens, counts)
        if self.one_topic:
            return self._one_topic(tokens, priors, counts)
        guidance = self._guidance(tokens.corpus.n_words)
        with using(self.device), bar("LDA", total=self.max_iter, shown=bool(self.verbose)) as progress:
            return train(
                tokens.corpus,
                priors,
                self._schedule(),
                seed=int(self._random.randint(2**31 - 1)),
                others=counts,
                weights=tokens.weights,
                guidance=guidance,
                on_sweeps=progress.advance,
            )

    def _check_device(self, tokens: Tokens, counts: NDArray[np.float64] | None) -> None:
        """On a GPU that was asked for, nothing is done elsewhere without a word."""
        if self.device != "cuda" or self.n_components == 1:
            return
        given = {
            "one_topic": self.one_topic,
            "seed_words": self.seed_words is not None,
            "counts that are no whole numbers": tokens.weights is not None,
            "a second partial_fit": counts is not None,
        }
        size = self.n_components, tokens.corpus.n_tokens
        sampler = lda.chosen_sampler(self.sampler, *size, tokens.weights is not None)
        given[f"the sampler {sampler}"] = sampler != "warp"
        for what, is_given in given.items():
            if is_given:
                raise InputError(
                    f"device='cuda' samples with warp alone, got {what}; use device='cpu' or 'auto'"
                )

    def _schedule(self) -> Schedule:
        if self.max_iter < 1:
            raise InputError(f"expected max_iter of 1 or more, got {self.max_iter}")
        return Schedule(
            self.max_iter,
            self.sampler,
            self._n_threads(),
            optimize_alpha=self.optimize_doc_topic_prior,
            optimize_beta=self.optimize_topic_word_prior,
        )

    def _priors(self) -> lda.Priors:
        if self.n_components < 1:
            raise InputError(f"expected n_components of 1 or more, got {self.n_components}")
        alpha = DEFAULT_ALPHA if self.doc_topic_prior is None else self.doc_topic_prior
        beta = DEFAULT_BETA if self.topic_word_prior is None else self.topic_word_prior
        try:
            alpha = np.broadcast_to(np.asarray(alpha, np.float64), (self.n_components,)).copy()
        except ValueError:
            wanted = f"1 or {self.n_components} numbers"
            raise InputError(f"expected doc_topic_prior: {wanted}, got others") from None
        return lda.Priors(alpha, beta)

    def _guidance(self, n_words: int) -> Guidance | None:
        if self.seed_words is None:
            return None
        named = self._given_names()
        column = {word: number for number, word in enumerate(range(n_words) if named is None else named)}
        topics = self.seed_words if isinstance(self.seed_words, Mapping) else dict(enumerate(self.seed_words))
        if unknown := [word for words in topics.values() for word in words if word not in column]:
            hint = "correct it" if named else "columns have no names: give vocabulary= (a list, in searches)"
            raise InputError(f"expected seed words of the vocabulary, got {quoted(unknown[0])}; {hint}")
        seeds = {topic: [column[word] for word in words] for topic, words in topics.items()}
        return Guidance.from_seeds(seeds, n_words, self.n_components)

    def _tokens(self, X: Any, *, reset: bool) -> Tokens:
        if isinstance(X, Corpus):
            if reset:
                self.n_features_in_ = X.n_words
                self.feature_names_in_ = np.array(X.vocabulary, dtype=object)
            return Tokens(X if reset else self.model_.read(X), None)
        counts = self._counts(X, reset=reset)
        return weighted_tokens(counts, self._names() if reset else self.model_.vocabulary)

    def _names(self) -> tuple[str, ...]:
        """The words of the columns: their numbers where nobody names them."""
        names = self._given_names()
        if names is None:
            return tuple(f"x{number}" for number in range(self.n_features_in_))
        if len(names) != self.n_features_in_:
            raise InputError(f"expected a word for each of {self.n_features_in_} columns, got {len(names)}")
        return names

    def _given_names(self) -> tuple[str, ...] | None:
        if hasattr(self, "feature_names_in_"):
            return tuple(self.feature_names_in_)
        if not hasattr(self.vocabulary, "get_feature_names_out"):
            return None if self.vocabulary is None else tuple(self.vocabulary)
        try:
            return tuple(map(str, self.vocabulary.get_feature_names_out()))
        except NotFittedError:  # a clone, as in a search: its pipeline has fitted another one
            return None

    def _counts(self, X: Any, *, reset: bool) -> csr_array:
        options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_non_negative": True}
        with hiding_texts():
            return csr_array(validate_data(self, X, reset=reset, **options))

    def _n_threads(self) -> int:
        """By scikit-learn's rule."""
        return thread_count(self.n_jobs)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
