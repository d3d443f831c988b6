"""A compiler for users' functions that detects where compiled code differs from Python.

Python's integers are unbounded, compiled ones have 64 bits; Python refuses a negative shift, the
logarithm of 0 and a Beta law with negative parameters, where compiled code continues with wrong
values or never returns. So a check is compiled along with every such operation or call in a user's
function. A check that fails raises `Beyond`, and the market finds out what Python does. What cannot
be checked is not compiled. The package's own functions are compiled without checks.
"""

# Little of what is used here is typed.
# mypy: disable-error-code="no-untyped-call,attr-defined,arg-type,call-arg,assignment,misc"

from __future__ import annotations

import dis
import operator
from types import CodeType
from typing import Any

from llvmlite import ir as llvm
from numba import types
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.errors import UnsupportedError
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering, NativeLowering
from numba.extending import intrinsic

from kcmab_abm.batch.draws import ALLOWED

EXACT = 2**53  # all integers up to this one are floats

_LONG = "a whole number beyond 64 bits"

_OVERFLOWING = {operator.add: "add", operator.sub: "sub", operator.mul: "mul"}
_COMPARISONS = {operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne}
_WHOLE = {  # operations on integers that give an integer
    *_OVERFLOWING,
    *(operator.pow, operator.lshift, operator.rshift, operator.floordiv, operator.mod),
    *(operator.and_, operator.or_, operator.xor),
}
_UNCHECKED = {sum, pow}  # numba implements these in its own source, which is not checked
_WORD = llvm.IntType(64)
_LOWEST = llvm.Constant(_WORD, -(2**63))
_INTEGERS = (types.Integer, types.Boolean)
_NUMBERS = (*_INTEGERS, types.Float)


class Beyond(ArithmeticError):
    """Compiled code cannot continue as Python would, or Python would raise too."""


class CheckedLower(Lower):
    """Numba's lowering from typed code to LLVM, with checks added."""

    def lower(self) -> None:
        """Lower a function, unless it does what cannot be checked."""
        function = self.func_ir.func_id.func
        if _catches(function.__code__):
            self._refuse("try and with: what they catch differs in compiled code")
        for block in self.func_ir.blocks.values():
            for each in (assignment.value for assignment in block.find_insts(ir.Assign)):
                is_called = isinstance(each, ir.Global) and isinstance(each.value, Dispatcher)
                if is_called and function.__globals__.get(each.name) is not each.value:
                    self._refuse("a function within a function that is handed on")
        super().lower()

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Lower a binary operation."""
        kinds = [self.typeof(each.name) for each in (expr.lhs, expr.rhs)]
        if not all(isinstance(kind, _NUMBERS) for kind in kinds):
            return super().lower_binop(resty, expr, op)
        values = [self.loadvar(each.name) for each in (expr.lhs, expr.rhs)]
        if all(isinstance(kind, _INTEGERS) for kind in kinds):
            if op in _WHOLE:
                answer = self._whole(op, resty, self.fndesc.calltypes[expr], kinds, values)
                return answer or super().lower_binop(resty, expr, op)
            if op is operator.truediv:
                self._must_be_exact(kinds, values)
        elif op in _COMPARISONS:
            self._must_be_exact(kinds, values)
        result = super().lower_binop(resty, expr, op)
        if op is operator.pow and isinstance(resty, types.Float):
            self._must_be_finite(result, resty, values, kinds)
        return result

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Lower an expression; of those with one operand, a minus may overflow."""
        if expr.op == "unary" and expr.fn is operator.neg:
            kind = self.typeof(expr.value.name)
            self._must_have_an_opposite(kind, self.loadvar(expr.value.name))
        return super().lower_expr(resty, expr)

    def lower_call(self, resty: Any, expr: Any) -> Any:
        """Lower a call, checking functions of Python, NumPy and generators."""
        function, signature = self.typeof(expr.func.name), self.fndesc.calltypes[expr]
        if isinstance(function, types.BoundFunction):
            if isinstance(function.this, types.NumPyRandomGeneratorType):
                self._check_draw(function, signature, expr)
            return super().lower_call(resty, expr)
        called = getattr(function, "typing_key", None)
        theirs = isinstance(function, types.NumberClass) or (
            getattr(called, "__module__", "").partition(".")[0] in ("builtins", "math", "numpy")
        )
        result = signature.return_type
        if isinstance(result, _INTEGERS) and (called in _UNCHECKED or called in _WHOLE):
            self._refuse(f"{called.__name__} of whole numbers; write it as a loop or an operator")
        if not theirs or not all(isinstance(kind, _NUMBERS) for kind in signature.args):
            return super().lower_call(resty, expr)
        kinds = signature.args
        values = self.fold_call_args(function, signature, expr.args, expr.vararg, expr.kws)
        if isinstance(result, types.Integer):
            for kind, value in zip(kinds, values, strict=True):
                if isinstance(kind, types.Float):  # it becomes an integer of 64 bits
                    self._raise_if(self._is_beyond(kind, value, 2.0**63), _LONG)
                elif called is abs:
                    self._must_have_an_opposite(kind, value)
        answer = super().lower_call(resty, expr)
        if isinstance(resty, types.Float):
            self._must_be_finite(answer, resty, values, kinds)
        return answer

    def _whole(self, op: Any, resty: Any, signature: Any, kinds: Any, values: Any) -> Any:
        """Lower an integer operation with checks; None if numba's own lowering is to be used."""
        signs = {kind.signed for kind in kinds if isinstance(kind, types.Integer)}
        result = signature.return_type
        if not isinstance(result, _INTEGERS) or len(signs) > 1:
            self._refuse("whole numbers with a sign and without one in the same operation")
        if isinstance(result, types.Boolean):
            return None
        signed = result.signed
        if not signed and op in (operator.pow, operator.lshift, operator.rshift):
            self._refuse(f"{op.__name__} of whole numbers without a sign")
        left, right = (
            self.context.cast(self.builder, value, kind, result)
            for kind, value in zip(kinds, values, strict=True)
        )
        if left.type != _WORD:
            self._refuse("whole numbers of less than 64 bits")
        if op in _OVERFLOWING:
            name = f"{'s' if signed else 'u'}{_OVERFLOWING[op]}_with_overflow"
            both = getattr(self.builder, name)(left, right)
            self._raise_if(self.builder.extract_value(both, 1), _LONG)
            answer = self.builder.extract_value(both, 0)
        elif op is operator.pow:
            of_words = result(result, result)
            self._raise_if(self._is_negative(right), "a whole number to a negative power")
            answer = self.context.compile_internal(self.builder, _power, of_words, (left, right))
        elif op is operator.lshift:
            answer = self._shifted_left(left, right)
        elif op is operator.rshift:
            answer = self.builder.ashr(left, self._places(right))
        else:
            if op is operator.floordiv and signed:
                last = self.builder.icmp_signed("==", right, llvm.Constant(_WORD, -1))
                first = self.builder.icmp_signed("==", left, _LOWEST)
                self._raise_if(self.builder.and_(first, last), _LONG)
            return None
        return self.context.cast(self.builder, answer, result, resty)

    def _shifted_left(self, left: Any, right: Any) -> Any:
        builder = self.builder
        places = self._places(right)
        shifted = builder.shl(left, places)
        too_far = builder.or_(
            builder.icmp_signed("!=", builder.ashr(shifted, places), left),
            builder.and_(
                builder.icmp_signed("!=", places, right),
                builder.icmp_signed("!=", left, llvm.Constant(_WORD, 0)),
            ),
        )
        self._raise_if(too_far, _LONG)
        return shifted

    def _places(self, places: Any) -> Any:
        """The places of a shift, which must not be negative; at most 63."""
        self._raise_if(self._is_negative(places), "a negative shift")
        most = llvm.Constant(_WORD, 63)
        return self.builder.select(self.builder.icmp_signed("<", places, most), places, most)

    def _is_negative(self, value: Any) -> Any:
        return self.builder.icmp_signed("<", value, llvm.Constant(_WORD, 0))

    def _must_be_exact(self, kinds: Any, values: Any) -> None:
        """Check integers that become floats, which Python compares and divides exactly."""
        for kind, value in zip(kinds, values, strict=True):
            if isinstance(kind, types.Integer):
                wide = self.context.cast(self.builder, value, kind, types.int64)
                moved = self.builder.add(wide, llvm.Constant(_WORD, EXACT))
                most = llvm.Constant(_WORD, 2 * EXACT)
                self._raise_if(
                    self.builder.icmp_unsigned(">", moved, most),
                    "a whole number beyond 2**53 where floats are calculated or compared with",
                )

    def _must_have_an_opposite(self, kind: Any, value: Any) -> None:
        if isinstance(kind, types.Integer):
            if not kind.signed:
                self._refuse("minus a whole number without a sign")
            if value.type == _WORD:
                self._raise_if(self.builder.icmp_signed("==", value, _LOWEST), _LONG)

    def _must_be_finite(self, result: Any, kind: Any, values: Any, kinds: Any) -> None:
        """Check a result: for finite arguments Python gives a finite number, or raises."""
        wrong = self._is_beyond(kind, result)
        for each, value in zip(kinds, values, strict=True):
            if isinstance(each, types.Float):
                wrong = self.builder.and_(wrong, self.builder.not_(self._is_beyond(each, value)))
        self._raise_if(wrong, "no finite number")

    def _is_beyond(self, kind: Any, value: Any, limit: float = float("inf")) -> Any:
        """True if a float is NaN or its absolute value reaches the limit."""
        wide = self.context.cast(self.builder, value, kind, types.float64)
        size = self.builder.module.declare_intrinsic("llvm.fabs", [llvm.DoubleType()])
        most = llvm.Constant(llvm.DoubleType(), limit)
        return self.builder.fcmp_unordered(">=", self.builder.call(size, [wide]), most)

    def _check_draw(self, function: Any, signature: Any, expr: Any) -> None:
        """Refuse the parameters that NumPy's generator refuses; numba's does not check them."""
        name = function.typing_key[-1]  # after the type that it belongs to
        if name not in ALLOWED:
            self._refuse(f"rng.{name}: what it is given is not checked")
        if (allowed := ALLOWED[name]) is None:
            return
        values = self.fold_call_args(function, signature, expr.args, expr.vararg, expr.kws)
        given = list(zip(signature.args, values, strict=True))[: allowed.__code__.co_argcount]
        numbers = [self._as_float(kind, value) for kind, value in given]
        kinds = [types.float64] * len(numbers)
        fine = self.context.compile_internal(self.builder, allowed, types.boolean(*kinds), numbers)
        self._raise_if(self.builder.not_(fine), "a draw with parameters that are not allowed")

    def _as_float(self, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Omitted):
            return llvm.Constant(llvm.DoubleType(), float(kind.value))
        return self.context.cast(self.builder, value, types.unliteral(kind), types.float64)

    def _raise_if(self, wrong: Any, words: str) -> None:
        with self.builder.if_then(wrong, likely=False):
            name = self.func_ir.func_id.func_name
            self.call_conv.return_user_exc(self.builder, Beyond, (words,), self.loc, name)

    def _refuse(self, what: str) -> None:
        place = self.func_ir.loc if self.loc == -1 else self.loc  # -1 before the first line
        raise UnsupportedError(f"Unsupported in compiled code: {what}", place)


def _catches(code: CodeType) -> bool:
    """Return True if a function, or one nested in it, handles exceptions."""
    handles = any(each.opname == "PUSH_EXC_INFO" for each in dis.get_instructions(code))
    return handles or any(_catches(each) for each in code.co_consts if isinstance(each, CodeType))


@intrinsic
def _times(typingctx: Any, left: Any, right: Any) -> Any:
    """The product of two integers, if it has 64 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        both = builder.smul_with_overflow(*arguments)
        with builder.if_then(builder.extract_value(both, 1), likely=False):
            context.call_conv.return_user_exc(builder, Beyond, (_LONG,))
        return builder.extract_value(both, 0)

    return types.int64(types.int64, types.int64), generate


def _power(base: int, exponent: int) -> Any:
    """An integer to a power >= 0."""
    result = 1
    while True:
        if exponent & 1:
            result = _times(result, base)
        exponent >>= 1
        if exponent == 0:
            return result
        base = _times(base, base)


@register_pass(mutates_CFG=True, analysis_only=False)
class CheckedLowering(BaseNativeLowering):
    """Numba's lowering pass, with checks."""

    _name = "kcmab_checked_lowering"

    lowering_class = CheckedLower


class Checked(CompilerBase):
    """Numba's compiler with the checked lowering pass."""

    def define_pipelines(self) -> list[Any]:
        """The compiler's passes, in order."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        checked = {NativeLowering: CheckedLowering}
        passes.passes = [(checked.get(each, each), why) for each, why in passes.passes]
        passes.finalize()
        return [passes]
