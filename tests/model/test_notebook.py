from boolfact.model.notebook import html_table


def test_cells_captions_and_headings_are_text():
    text = html_table("<i>", [["<b>", "\u202ex"], [1, None]], ["&", "'"])
    assert "<i>" not in text
    assert "<b>" not in text
    assert "\u202e" not in text
    assert "<caption>&lt;i&gt;</caption>" in text
    assert text.count("<tr>") == 3
    assert text.count("<thead>") == 1
