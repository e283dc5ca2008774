"""How large the cache of keys and values of a model is, by how many pairs its heads share."""

from __future__ import annotations

import streamlit as st

from mha_viz.labs.savings import cache_bytes
from mha_viz.spec import divisors
from mha_viz.words import say

#: Bytes of a number in each type.
_BYTES = {"float32": 4, "bfloat16": 2, "int8": 1}
_MIB = 2**20


def render() -> None:
    """The model's sizes, and the cache for every number of pairs that divides its heads."""
    st.subheader(say("cache.title"), anchor=False)
    st.markdown(say("cache.what"))
    with st.container(horizontal=True):
        n_heads = _number("heads", 32, 256)
        d_k = _number("d_k", 128, 1_024)
        n_layers = _number("layers", 32, 1_000)
        n_tokens = _number("tokens", 4_096, 10_000_000)
        dtype = st.selectbox(
            say("cache.dtype"), tuple(_BYTES), index=1, key="cache_dtype", width=140, persist_state="session"
        )
    sizes = {"n_layers": n_layers, "n_tokens": n_tokens, "n_bytes": _BYTES[dtype]}
    pairs = divisors(n_heads)[::-1]
    mib = [cache_bytes(n_kv, d_k, **sizes) / _MIB for n_kv in pairs]
    columns = {
        say("cache.pairs"): pairs,
        say("cache.kind"): [_kind(n_kv, n_heads) for n_kv in pairs],
        say("cache.size"): mib,
    }
    bar = st.column_config.ProgressColumn(format="%.1f MiB", max_value=mib[0])
    st.dataframe(columns, hide_index=True, width="stretch", column_config={say("cache.size"): bar})
    st.caption(
        say(
            "cache.formula",
            n_kv=pairs[0],
            d_k=d_k,
            layers=n_layers,
            tokens=n_tokens,
            size=_BYTES[dtype],
            mib=f"{mib[0]:,.1f}",
        )
    )


def _number(name: str, first: int, most: int) -> int:
    return int(
        st.number_input(say(f"cache.{name}"), 1, most, first, key=f"cache_{name}", width=140, persist_state="session")
    )


def _kind(n_kv: int, n_heads: int) -> str:
    if n_kv == n_heads:
        return say("cache.full")
    return say("cache.multi") if n_kv == 1 else say("cache.grouped", each=n_heads // n_kv)
