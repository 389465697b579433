// Writes numbers in decimal digits as std::to_chars of C++ does, for a module whose C++ library
// lacks std::to_chars for doubles. Handles infinities and NaN too. There are three forms of output:
// plain, scientific and fixed. chorale_js_decimal in native/libcxx.hpp passes the number of a form.
const PLAIN = 0;
const SCIENTIFIC = 1;

function scientific(number) {
  // toExponential() gives the shortest digits that read back as the same number. C++ writes at
  // least two digits of the exponent.
  return number.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

function fixedShortest(number) {
  const magnitude = Math.abs(number);
  const sign = Object.is(number, -0) || number < 0 ? "-" : "";
  if (magnitude === 0) return sign + "0";
  // Of an integer from 2^53 on, std::to_chars writes all digits. The code below would write the
  // shortest digits that read back as the same number, and then zeros.
  if (magnitude >= 2 ** 53) return sign + BigInt(magnitude).toString();
  const [digits, power] = magnitude.toExponential().split("e");
  const exponent = Number(power);
  const all = digits.replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${all}`;
  if (all.length <= exponent + 1) return sign + all.padEnd(exponent + 1, "0");
  return `${sign}${all.slice(0, exponent + 1)}.${all.slice(exponent + 1)}`;
}

/** Returns the number rounded to `digits` digits after the point, as text; halves round to even. */
function fixed(number, digits) {
  const sign = Object.is(number, -0) || number < 0 ? "-" : "";
  // |number| = mantissa * 2^exponent, where mantissa and exponent are integers.
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(number));
  const bits = view.getBigUint64(0);
  const field = bits >> 52n;
  const mantissa = (bits & ((1n << 52n) - 1n)) | (field === 0n ? 0n : 1n << 52n);
  const exponent = (field === 0n ? 1n : field) - 1075n;
  const scaled = mantissa * 10n ** BigInt(digits);
  let rounded;
  if (exponent >= 0n) rounded = scaled << exponent;
  else {
    const half = 1n << (-exponent - 1n);
    const remainder = scaled & (2n * half - 1n);
    rounded = scaled >> -exponent;
    if (remainder > half || (remainder === half && (rounded & 1n) === 1n)) rounded += 1n;
  }
  const text = rounded.toString().padStart(digits + 1, "0");
  return sign + (digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`);
}

export function decimal(number, form, digits) {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number < 0 ? "-inf" : "inf";
  if (form === SCIENTIFIC) return scientific(number);
  if (form !== PLAIN) return fixed(number, digits);
  const short = scientific(number);
  const plain = fixedShortest(number);
  return plain.length <= short.length ? plain : short;
}
