"""Token injection: does a model recover from words put into its reply, and does it know? (paper, section 5)

experiment  what is asked, read and claimed
tasks       the tasks: what parts a reply has, where it is disturbed, what was to come there, which words are foreign
simulated   how simulated models answer it
counting    what came of each session, by kind of injection, dose and task
scores      the table of these, and how good predictions are
starter     the items, and what is known of them
"""

from selfexec.extension import AppendixPart, Command, Extension

EXTENSION = Extension(
    experiments={"token_injection": "selfexec.extensions.injecting.experiment:TokenInjection"},
    analyses={
        "injection": Command(
            "selfexec.extensions.injecting.command:command",
            "Show how models recover from words put into their replies.",
        ),
    },
    appendix={
        "injection": AppendixPart(
            "selfexec.extensions.injecting.page:injection",
            template="selfexec.extensions.injecting/injection.html.j2",
            summary="Words put into replies",
            about="words put into replies",
            command="selfexec analyze injection",
        ),
    },
    public={
        "InjectionScores": "selfexec.extensions.injecting.scores",
        "injection_scores": "selfexec.extensions.injecting.scores",
    },
)
