"""How hypothesis searches: the same examples every time, unless asked to explore."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}

settings.register_profile("steady", max_examples=25, derandomize=True, **_COMMON)
settings.register_profile("explore", max_examples=500, **_COMMON)
settings.load_profile("steady")
