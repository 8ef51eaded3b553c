"""Panels of the lessons: a form for a recipe, a live view of a run, a memory budget, sample answers.

A panel is a view: the recipe is data and the run is a directory, so nothing is lost with the page.
Without a front end that talks to widgets (or without ipywidgets) each panel shows a table or a figure
instead. `KIT_STATIC=1` forces that; `KIT_STATIC=0` forces the widgets, for a front end not known here.
"""

import asyncio
import html
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kit import markup
from kit import recipe as recipes
from kit.errors import KitError
from kit.recipe import FieldHelp, Recipe, field_help

try:
    import ipywidgets as widgets
except ImportError:  # the defaults of a lesson still pass through
    widgets = None

FIELDS = (
    *("method", "lora_rank", "max_length", "batch_size", "gradient_accumulation_steps"),
    *("learning_rate", "epochs", "max_steps", "gradient_checkpointing", "seed"),
)
_following: set[asyncio.Task[None]] = set()  # asyncio itself would let a running task be collected


def live_front_end() -> bool:
    """Whether widgets can be shown: ipywidgets is here and JupyterLab, Notebook or Voila started the kernel."""
    choice = os.environ.get("KIT_STATIC", "")
    known = "JPY_SESSION_NAME" in os.environ or "VOILA_KERNEL_ID" in os.environ
    return widgets is not None and (choice == "0" or (choice != "1" and known))


class RecipeForm:
    """A form for some `fields` of a recipe; `.recipe` is the recipe as last set, always a valid one.

    Raises:
        KitError: `fields` names something that a recipe does not have.
    """

    def __init__(self, recipe: Recipe, fields: Sequence[str] | None = None, *, live: bool | None = None) -> None:
        self.recipe = self._first = recipe
        self.fields = tuple(fields or FIELDS)
        for name in self.fields:
            if name not in Recipe.model_fields or name == "reasons":
                raise KitError(f"a form has no field {name!r}", fix="Recipe.model_fields lists them")
        self.widgets: dict[str, Any] = {}
        self.live = live_front_end() if live is None else live and widgets is not None
        if not self.live:
            return
        self.message = _message("Changes count at once: form.recipe is the recipe shown here.")
        for name in self.fields:
            self.widgets[name] = _field_widget(name, getattr(recipe, name), field_help(name))
            self.widgets[name].add_class(f"kit-field-{name.replace('_', '-')}")
        # Compared with these, because a slider may hold a default only up to rounding.
        self._shown = {name: widget.value for name, widget in self.widgets.items()}
        for widget in self.widgets.values():
            widget.observe(_guarded(self._update, self.message), names="value")
        self.box = widgets.VBox([*self.widgets.values(), self.message]).add_class("kit-form")

    def _update(self) -> None:
        moved = {name: widget.value for name, widget in self.widgets.items() if widget.value != self._shown[name]}
        changes = {name: _plain(name, value, getattr(self._first, name)) for name, value in moved.items()}
        values = {name: value for name, value in self._first.model_dump().items() if name not in changes}
        values["reasons"] = {name: why for name, why in self._first.reasons.items() if name not in changes}
        if "method" in changes and "quantization" not in self.fields:
            del values["quantization"]  # it follows the method
        self.recipe = recipes.make({**values, **changes}, where="not taken over")
        changed = ", ".join(f"{name}={value}" for name, value in changes.items())
        self.message.value = html.escape(f"Changed: {changed}" if changes else "As given")

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, display

        display(self.box if self.live else HTML(self._repr_html_()))

    def _repr_html_(self) -> str:
        rows = []
        for name in self.fields:
            known, reason = field_help(name), self.recipe.reasons.get(name)
            value = f"{getattr(self.recipe, name)} {known.unit}".strip() or "(empty)"
            meaning = known.description + (f"; chosen because {reason}" if reason else "")
            rows.append([f"<code>{name}</code>", html.escape(value), html.escape(meaning)])
        return markup.table(["field", "value", "meaning"], rows)


def _field_widget(name: str, value: Any, known: FieldHelp) -> Any:
    """The widget that suits a field: its tooltip is the description, its range the bounds."""
    look: dict[str, Any] = {
        "description": f"{name} ({known.unit})" if known.unit else name,
        "tooltip": known.description,
        "style": {"description_width": "17em"},
        "layout": {"width": "40em"},
    }
    low, high = known.minimum, known.maximum
    if isinstance(value, bool):
        return widgets.Checkbox(value=value, indent=True, **look)
    if known.choices:
        return widgets.Dropdown(value=value, options=known.choices, **look)
    if isinstance(value, str):
        return widgets.Text(value=value, continuous_update=False, **look)
    look["continuous_update"] = False
    if name == "learning_rate":
        smallest = math.floor(math.log10(min(1e-7, value)))
        look |= {"min": smallest, "max": math.log10(high or 1.0), "step": 0.1, "readout_format": ".2e"}
        return widgets.FloatLogSlider(value=value, **look)
    if low is None or high is None:
        return (widgets.IntText if isinstance(value, int) else widgets.FloatText)(value=value, **look)
    if isinstance(value, float):
        if high - low > 10:
            return widgets.BoundedFloatText(value=value, min=low, max=high, **look)
        look |= {"step": (high - low) / 100, "readout_format": ".3g"}
        return widgets.FloatSlider(value=value, min=low, max=high, **look)
    if high - low <= 200:
        return widgets.IntSlider(value=value, min=int(low), max=int(high), **look)
    if low < 1:
        return widgets.BoundedIntText(value=value, min=int(low), max=int(high), **look)
    # Sizes are mostly powers of two: the arrow keys step through them, typing sets any other.
    look |= {"base": 2, "min": math.log2(low), "max": math.log2(high), "step": 1, "readout_format": "d"}
    return widgets.FloatLogSlider(value=value, **look)


def _plain(name: str, value: Any, first: Any) -> Any:
    """A widget's value as the recipe wants it: log sliders give 0.000199526 for 2e-4 and 16.0 for 16."""
    if name == "learning_rate":
        return float(f"{value:.3g}")
    return round(value) if isinstance(value, float) and isinstance(first, int) else value


class LiveRun:
    """Loss, memory, progress and a Stop button of a run, redrawn from its directory every `every` seconds.

    At its end a picture takes the place of the widgets, so that a saved notebook still shows it.
    """

    def __init__(self, run: Any, *, every: float = 1.0, live: bool | None = None) -> None:
        self.run, self.every = run, every
        self.live = live_front_end() if live is None else live and widgets is not None
        if not self.live:
            return
        self.message = _message("")
        self.status = widgets.HTML().add_class("kit-status")
        self.plot = widgets.HTML().add_class("kit-plot")
        self.progress = widgets.FloatProgress(min=0, max=1, layout={"width": "20em"}).add_class("kit-progress")
        self.stop = widgets.Button(description="Stop", button_style="warning", tooltip="end the run after this step")
        self.stop.add_class("kit-stop").on_click(_guarded(self._stop, self.message))
        row = widgets.HBox([self.stop, self.progress, self.status])
        self.box = widgets.VBox([row, self.plot, self.message]).add_class("kit-live-run")

    def refresh(self) -> bool:
        """Draw what the run's directory says now; True if the run is over."""
        status, now = self.run.status, self.run.progress()
        self.status.value = html.escape(markup.status_line(self.run))
        self.progress.value = now.step / now.total_steps if now.total_steps else 0
        # The count is one of rows while rows are scored: then the last step ends the axis of the loss.
        steps = now.total_steps if now.phase.startswith("train") else None
        self.plot.value = markup.live_svg(self.run.metrics(), self.run.memory(), steps)
        return status in markup.OVER

    def _stop(self) -> None:
        # May run in a thread of the kernel: it asks and says so; the drawing task sees the rest.
        self.run.stop()
        self.stop.disabled = True
        self.message.value = "Stopping: the run ends after its current step and keeps what it has learnt."

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, display

        over = self.run.status in markup.OVER
        if not self.live or over:
            if self.run.metrics() or (over and self.run.memory()):  # else there is nothing to see in a picture
                picture, metadata = _picture(self.run)
                display(picture, raw=True, metadata=metadata)
            display(HTML(markup.status_html(self.run)))
            return
        panel = display(self.box, display_id=True)
        hint = "The run goes on when this page is closed; run this cell again to see it."
        note = display(HTML(f"<small>{hint}</small>"), display_id=True)
        task = asyncio.get_running_loop().create_task(self._follow(panel, note))
        _following.add(task)
        task.add_done_callback(_following.discard)

    async def _follow(self, panel: Any, note: Any) -> None:
        from IPython.display import HTML

        over = False
        while not over:
            try:
                over = self.refresh()
                if over:
                    picture, metadata = _picture(self.run)
                    panel.update(picture, raw=True, metadata=metadata)
                    note.update(HTML(markup.status_html(self.run)))
            except Exception as error:  # a task's faults appear nowhere, and the next look may succeed
                self.status.value = html.escape(f"cannot show the run: {error}")
            await asyncio.sleep(0 if over else self.every)


def _picture(run: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The figure of a run as a notebook output, and its metadata."""
    from kit import plots

    picture, metadata = plots.run_curves(run)._repr_png_()
    text = f"{run.folder.name}: {markup.status_line(run)}"
    return {"image/png": picture, "text/plain": text}, {"image/png": metadata}


class BudgetBar:
    """The predicted parts of the memory as one bar against the limit of the card; sizes in bytes."""

    def __init__(
        self, parts: Mapping[str, float], limit_bytes: float | None = None, measured_bytes: float | None = None
    ) -> None:
        from kit import plots

        self.figure = plots.budget_bar(parts, limit_bytes, measured_bytes)

    def _repr_png_(self) -> tuple[bytes, dict[str, str]]:
        return self.figure._repr_png_()


class SampleTable:
    """Answers before and after training beside the expected ones: what is wrong or missing in them is marked."""

    def __init__(self, samples: Sequence[Mapping[str, Any]], limit: int = 8) -> None:
        self.samples, self.limit = list(samples), limit

    def _repr_html_(self) -> str:
        return markup.samples_html(self.samples, self.limit)


def _message(text: str) -> Any:
    return widgets.HTML(html.escape(text)).add_class("kit-message")


def _guarded(action: Callable[[], None], message: Any) -> Callable[[Any], None]:
    """`action` as a widget callback whose faults show in `message`: a front end shows them nowhere."""

    def callback(_: Any) -> None:
        try:
            action()
        except Exception as error:
            name = "" if isinstance(error, KitError) else f"{type(error).__name__}: "
            message.value = html.escape(f"{name}{error}")

    return callback
