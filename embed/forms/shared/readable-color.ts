// Chooses a text color that is readable on a background (WCAG's contrast of relative luminance).

function luminanceOf(color: string): number | undefined {
  const shortHex = /^#([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?$/i.exec(color);
  const hex = shortHex
    ? shortHex
        .slice(1, 4)
        .map((digit) => digit + digit)
        .join('')
    : /^#([0-9a-f]{6})/i.exec(color)?.[1];
  if (!hex) return undefined;
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((offset) => {
    const channel = Number.parseInt(hex.slice(offset, offset + 2), 16) / 255;
    return channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * Returns the first of these colors with a contrast of at least 4.5 to 1, otherwise the color with
 * the highest contrast.
 */
export function chooseReadableColor(color: string, inks: readonly [string, ...string[]]): string {
  const ground = luminanceOf(color) ?? 1;
  const contrast = (ink: string) => {
    const inkLuminance = luminanceOf(ink) ?? 0;
    return (Math.max(ground, inkLuminance) + 0.05) / (Math.min(ground, inkLuminance) + 0.05);
  };
  const [best = inks[0]] = [...inks].sort((a, b) => contrast(b) - contrast(a));
  return inks.find((ink) => contrast(ink) >= 4.5) ?? best;
}
