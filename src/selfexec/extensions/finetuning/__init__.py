"""Files to train a model on predictions of its own behaviour, with the controls that such a training needs."""

from selfexec.extension import Export, Extension

EXTENSION = Extension(
    exports={
        "sft": Export(
            "selfexec.extensions.finetuning.command:export_chats",
            options="selfexec.extensions.finetuning.command:sft_options",
            files="files to train on",
            about="chats for training a model to predict its own behaviour, with controls.",
        ),
    },
    public={
        "TrainingFiles": "selfexec.extensions.finetuning.writing",
        "export_sft": "selfexec.extensions.finetuning.writing",
    },
)
