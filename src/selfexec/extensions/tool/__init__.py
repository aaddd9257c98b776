"""The tool for self-execution: predictions that may have prompts executed first (paper, section 7).

facet      the condition: its levels, and what prompts say of the tool
protocol   what a reply asks for, what it is told, and the conversation that comes of it
simulated  how simulated models use the tool
calls      the calls of a run, what each came to, and whether the prediction follows what it saw
scores     gain, cost, use and belief
"""

from selfexec.extension import AppendixPart, Command, Extension

EXTENSION = Extension(
    facets={"tool": "selfexec.extensions.tool.facet:TOOL"},
    analyses={
        "tool": Command(
            "selfexec.extensions.tool.command:command",
            "Show what a tool for self-execution adds to predictions.",
        ),
    },
    appendix={
        "tool": AppendixPart(
            "selfexec.extensions.tool.page:tool",
            template="selfexec.extensions.tool/tool.html.j2",
            summary="With a tool for self-execution",
            about="what a tool for self-execution adds to predictions",
            command="selfexec analyze tool",
        ),
    },
    public={
        "ToolScores": "selfexec.extensions.tool.scores",
        "tool_scores": "selfexec.extensions.tool.scores",
    },
)
