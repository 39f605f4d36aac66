"""Arguments and options that several commands share, and what they print alike."""
# ruff: noqa: I001 - one statement for each room

from fedtopics.commands.options.documents import (
    Dealing as Dealing,
    Indexing as Indexing,
    PersonColumn as PersonColumn,
    Preparing as Preparing,
    Reading as Reading,
    Source as Source,
    TextsOption as TextsOption,
)
from fedtopics.commands.options.federation import (
    AgreementEpsilon as AgreementEpsilon,
    Coordinator as Coordinator,
    LanguageOfAll as LanguageOfAll,
    Member as Member,
    MemberOption as MemberOption,
    Metrics as Metrics,
    Office as Office,
    PublicWords as PublicWords,
    RelationFile as RelationFile,
    RunName as RunName,
    public_words as public_words,
    related as related,
)
from fedtopics.commands.options.groups import (
    takes as takes,
)
from fedtopics.commands.options.method import (
    Audited as Audited,
    Consistency as Consistency,
    ConsistencyTau as ConsistencyTau,
    Delta as Delta,
    Epsilon as Epsilon,
    Keep as Keep,
    MethodName as MethodName,
    NoiseOf as NoiseOf,
    Repeats as Repeats,
    Rounds as Rounds,
    Secure as Secure,
    SecureSum as SecureSum,
    Settings as Settings,
    TopicCount as TopicCount,
    Unit as Unit,
    Variant as Variant,
    VocabularySize as VocabularySize,
    summing as summing,
)
from fedtopics.commands.options.printing import (
    print_json as print_json,
    require_new_file as require_new_file,
    say as say,
    wrapped as wrapped,
)
from fedtopics.commands.options.run import (
    Device as Device,
    Json as Json,
    RunFolder as RunFolder,
    Seed as Seed,
    TestFraction as TestFraction,
    Threads as Threads,
    Title as Title,
)
