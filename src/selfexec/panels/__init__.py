"""Reference panels: what other models predicted and did on the same items, as data beside runs."""

from selfexec.panels.export import panel_of_run
from selfexec.panels.matching import MOST_FOR_SHIPPED_PANEL, MatchedPanel, match_panel
from selfexec.panels.panel import PAPER_PANEL, PanelClaims, PanelPart, ReferencePanel, load_panel
