"""Self-simulation: does a model know what will be true of its reply to a prompt? (paper, section 1)

experiment  what is asked, read and claimed
properties  what may be true of a reply: how it is asked for, how a prediction of it is read, and what is claimed
rules       what a reply has, by fixed rules
facet       a prediction that gives the reply itself, as text
reading     which values a prediction gives, or which text
matching    whether predicted texts are nearer to the model's own replies than to those of others: arrays
free_text   the same of runs, for `analyze cross`
simulated   how simulated models answer it
scores      each property apart, and the mean over properties
starter     the items, and what is known of them
"""

from selfexec.extension import AppendixPart, Command, Extension

EXTENSION = Extension(
    facets={"predicts": "selfexec.extensions.simulating.facet:PREDICTS"},
    experiments={"self_simulation": "selfexec.extensions.simulating.experiment:SelfSimulation"},
    analyses={
        "properties": Command(
            "selfexec.extensions.simulating.command:command",
            "Show how well models predict each property of their replies.",
        ),
    },
    appendix={
        "properties": AppendixPart(
            "selfexec.extensions.simulating.page:properties",
            template="selfexec.extensions.simulating/properties.html.j2",
            summary="Each property of replies apart",
            about="each property of replies apart",
            command="selfexec analyze properties",
        ),
        "matches": AppendixPart(
            "selfexec.extensions.simulating.page:matches",
            template="selfexec.extensions.simulating/matches.html.j2",
            summary="Predicted replies beside the actual ones",
            about="whose reply each predicted one is nearest to",
            command="selfexec analyze cross",
        ),
    },
    crossings={"free_text": "selfexec.extensions.simulating.free_text:free_text_matches"},
    public={
        "FreeTextMatches": "selfexec.extensions.simulating.free_text",
        "PropertyScores": "selfexec.extensions.simulating.scores",
        "property_scores": "selfexec.extensions.simulating.scores",
    },
)
