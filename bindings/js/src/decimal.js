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
  const magnitude = Math.abs(number);
  // An integer; toFixed() writes no more than 21 digits before the point.
  if (magnitude >= 2 ** 53)
    return sign + BigInt(magnitude) + (digits > 0 ? `.${"0".repeat(digits)}` : "");
  // toFixed() rounds halves up. A number is halfway if its next digit is 5, and all further ones are 0.
  const all = magnitude.toFixed(100);
  const end = all.indexOf(".") + digits + (digits > 0 ? 1 : 0);
  const isEven = /[02468]\.?$/.test(all.slice(0, end));
  const isHalf = /^\.?50*$/.test(all.slice(end));
  return sign + (isHalf && isEven ? all.slice(0, end) : magnitude.toFixed(digits));
}

export function decimal(number, form, digits) {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number < 0 ? "-inf" : "inf";
  if (form === SCIENTIFIC) return scientific(number);
  if (form !== PLAIN) return fixed(number, digits);
  const short = scientific(number);
  const plain = fixedShortest(number);
  return plain.length <= short.length ? plain : short;
}
