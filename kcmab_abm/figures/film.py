"""Animations as GIF or MP4 files, and the pace at which customers are shown."""

from __future__ import annotations

import io
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.animation import FFMpegWriter
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import brentq

from kcmab_abm.errors import MarketError, OutputError
from kcmab_abm.figures.animation import INKS, SIZE, Picture
from kcmab_abm.figures.style import styled

ENDINGS = (".gif", ".mp4")
_DPI = {".gif": 100, ".mp4": 240}  # 800 x 450 for web pages, 1920 x 1080 for projectors
_READING = 1.5  # seconds to read the line of the first customer
_LAST = 0.1  # share of the time for the last scene
# Colours that every player supports, and playback that starts before the file is complete.
_FFMPEG = ["-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart"]
_SHADES = 8  # of each ink, down to white, for smooth edges
_STEEPEST = 60.0  # exponent of the growth of the pace

Ints = NDArray[np.int64]
Progress = Callable[[int, int], None]


def paced(customers: int, seconds: float, fps: int) -> tuple[Ints, Ints]:
    """The customers to show, and the number of frames for each.

    The first customer is shown long enough to be read. If that pace would take too long, it grows
    geometrically: all early customers are shown, and some later ones are left out.

    >>> paced(3, 6.0, 2)
    (array([1, 2, 3]), array([4, 4, 4]))
    >>> customers, frames = paced(1000, 5.0, 2)
    >>> customers
    array([   1,    2,    5,   13,   30,   73,  174,  417, 1000])
    """
    frames = max(1, round(seconds * fps))
    moving = (1.0 - _LAST) * seconds
    passed = np.minimum(np.arange(frames) / (fps * moving), 1.0)
    at_that_pace = moving / _READING
    if customers > at_that_pace:
        steepness = brentq(lambda x: np.expm1(x) / x - customers / at_that_pace, 1e-9, _STEEPEST)
        passed = np.expm1(steepness * passed) / np.expm1(steepness)
    shown = np.minimum(1 + np.floor(passed * customers), customers).astype(np.int64)
    shown[-1] = customers
    return np.unique(shown, return_counts=True)


def check_film(path: Path) -> None:
    """Raise an error if the film cannot be written, before any work is done."""
    if path.suffix.lower() not in ENDINGS:
        raise OutputError(f"{path}: the name of an animation must end in .gif or .mp4")
    if path.suffix.lower() == ".mp4":
        find_ffmpeg()


def find_ffmpeg() -> str:
    """The path of ffmpeg: installed on the system, or with the extra."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise MarketError(
            "MP4 needs the program ffmpeg, which was not found; install it with "
            'pip install "kcmab-abm[video]", or use a name that ends in .gif'
        ) from None


def write_film(
    path: Path, picture: Picture, frames: Ints, fps: int, progress: Progress = lambda *_: None
) -> None:
    """Write the scenes of a picture, each for so many frames, in the format of the extension."""
    write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4
    with styled(), warnings.catch_warnings():
        # Characters that the font lacks are drawn as boxes, without warnings.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        write(path, picture, frames, fps, progress)


def _write_gif(path: Path, picture: Picture, frames: Ints, fps: int, progress: Progress) -> None:
    images = _images(picture, progress)
    first = next(images)
    # GIF counts in hundredths of a second; rounding moments instead of durations avoids drift.
    moments = np.round(100 * np.concatenate([[0], np.cumsum(frames)]) / fps).astype(int)
    first.save(
        path,
        format="GIF",
        save_all=True,
        append_images=images,
        duration=(10 * np.diff(moments)).tolist(),
        loop=0,
        optimize=True,
    )


def _images(picture: Picture, progress: Progress) -> Iterator[Image.Image]:
    """One image per scene, all with the same small palette."""
    dpi = _DPI[".gif"]
    size = (round(SIZE[0] * dpi), round(SIZE[1] * dpi))
    colours = _palette()
    for place, scene in enumerate(picture.scenes):
        picture.show(scene)
        drawn = io.BytesIO()
        picture.figure.savefig(drawn, format="rgba", dpi=dpi)
        image = Image.frombytes("RGBA", size, drawn.getvalue()).convert("RGB")
        yield image.quantize(palette=colours, dither=Image.Dither.NONE)
        progress(place + 1, len(picture.scenes))


def _palette() -> Image.Image:
    """Shades of every ink of the picture, as a palette for Pillow."""
    shares = np.linspace(0.0, 1.0, _SHADES)[:, None]
    inks = [np.array(to_rgb(ink)) for ink in INKS]
    shades = np.concatenate([ink + shares * (1.0 - ink) for ink in inks])
    image = Image.new("P", (1, 1))
    image.putpalette(np.round(255 * np.unique(shades, axis=0)).astype(np.uint8).tobytes())
    return image


def _write_mp4(path: Path, picture: Picture, frames: Ints, fps: int, progress: Progress) -> None:
    with mpl.rc_context({"animation.ffmpeg_path": find_ffmpeg()}):
        writer = FFMpegWriter(fps, "libx264", extra_args=_FFMPEG)
        try:
            with writer.saving(picture.figure, str(path), _DPI[".mp4"]):
                for place, (scene, count) in enumerate(zip(picture.scenes, frames, strict=True)):
                    picture.show(scene)
                    for _ in range(count):
                        writer.grab_frame()
                    progress(place + 1, len(picture.scenes))
        except (subprocess.CalledProcessError, BrokenPipeError) as error:
            raise OutputError(
                f"ffmpeg could not write the animation ({error}); use a name that ends in .gif"
            ) from error
