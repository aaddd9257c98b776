"""What of a run is out in batch files."""

from selfexec.runs.requests.table import (
    BATCHES,
    OURS,
    REQUESTS,
    ExportedRequest,
    Requests,
    add_requests,
    custom_ids,
    out_with_batches,
    replies_in,
    requests_of,
)
