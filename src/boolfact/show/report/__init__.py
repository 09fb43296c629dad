"""One HTML page about a result, which needs nothing but a browser and no network."""

from boolfact.show.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
