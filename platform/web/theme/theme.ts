// The Mantine theme built from the tokens: colors, type, spacing and shape of every component.
import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { DigitsInput } from './digits-input.tsx';
import { selectMarked } from './enter-selects.ts';
import { dark, light, type Palette } from './tokens.ts';

/**
 * Returns ten shades for Mantine: the primary shade is index 4 in the dark scheme and 6 in the
 * light one.
 */
function shades(inLight: string, inLightHover: string, inDark: string): MantineColorsTuple {
  return [
    inDark,
    inDark,
    inDark,
    inDark,
    inDark,
    inLight,
    inLight,
    inLightHover,
    inLightHover,
    inLightHover,
  ];
}

const GRAY: MantineColorsTuple = [
  light.canvas,
  light.hover,
  '#E9E9E5',
  light.hairline,
  '#CBCBC6',
  '#A9ABAE',
  light.control,
  light.muted,
  '#3A3E46',
  light.text,
];

const NIGHT: MantineColorsTuple = [
  dark.text,
  '#C6C9CF',
  dark.muted,
  dark.control,
  dark.hairline,
  dark.hover,
  dark.raised,
  dark.surface,
  dark.canvas,
  '#0D0E10',
];

/** The text of a filled component follows the scheme: white in light, dark in dark. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  return input.variant === 'filled' ? { ...colors, color: 'var(--on-primary)' } : colors;
};

/**
 * Overlays render in place, inside their button's landmark, where screen readers find them; their
 * position is fixed so that no container clips them.
 */
const inPlace = { withinPortal: false, floatingStrategy: 'fixed' } as const;

/** User input has its own direction: "12 Quay Street" keeps its order in Persian text. */
const ownDirection = { input: { dir: 'auto' } };

export const theme = createTheme({
  primaryColor: 'thread',
  primaryShade: { light: 6, dark: 4 },
  white: light.surface,
  black: light.text,
  variantColorResolver,
  colors: {
    gray: GRAY,
    dark: NIGHT,
    thread: shades(light.primary, light.primaryHover, dark.primary),
    success: shades(light.success, light.successInk, dark.success),
    warning: shades(light.warning, light.warningInk, dark.warning),
    danger: shades(light.danger, light.dangerHover, dark.danger),
  },
  fontFamily:
    "'Inter Variable', 'Vazirmatn Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.5', lg: '1.55', xl: '1.3' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '28px', lineHeight: '36px' },
      h2: { fontSize: '20px', lineHeight: '28px' },
      h3: { fontSize: '16px', lineHeight: '24px' },
      h4: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'md',
  shadows: {
    xs: 'var(--shadow)',
    sm: 'var(--shadow)',
    md: 'var(--shadow)',
    lg: 'var(--shadow)',
    xl: 'var(--shadow)',
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Input: { defaultProps: { radius: 'sm' } },
    TextInput: { defaultProps: { attributes: ownDirection } },
    Textarea: { defaultProps: { attributes: ownDirection } },
    NumberInput: { defaultProps: { customInput: DigitsInput } },
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] },
    },
    Button: { defaultProps: { radius: 'sm' }, styles: { label: { fontWeight: 500 } } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', radius: 'sm', size: 32 } },
    Checkbox: { defaultProps: { radius: 'xs' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        // A moving transition leaves a transform behind, which would clip a fixed list inside it.
        transitionProps: { transition: 'fade', duration: 150 },
      },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.45 } } },
    Menu: {
      defaultProps: {
        position: 'bottom-end',
        ...inPlace,
        shadow: 'md',
        radius: 'md',
        returnFocus: true,
        // The placeholder is not a menu item, and the role `menu` allows only menu items.
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: { defaultProps: { ...inPlace, shadow: 'md', radius: 'md' } },
    Combobox: { defaultProps: inPlace },
    Select: { defaultProps: { onKeyDownCapture: selectMarked } },
    MultiSelect: { defaultProps: { onKeyDownCapture: selectMarked } },
    Tooltip: {
      defaultProps: {
        openDelay: 350,
        withArrow: false,
        events: { hover: true, focus: true, touch: false },
      },
    },
    Tabs: { defaultProps: { keepMounted: false } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Skeleton: { defaultProps: { radius: 'sm' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
  },
});

/** Variables of Mantine and our own styles; names without `mantine` are ours. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--space': '4px',
    '--motion': '150ms',
    '--mantine-color-error': 'var(--danger)',
  },
  light: scheme(light),
  dark: scheme(dark),
});

function scheme(palette: Palette): Record<string, string> {
  const series = Object.fromEntries(palette.series.map((hex, i) => [`--series-${i + 1}`, hex]));
  return {
    '--canvas': palette.canvas,
    '--surface': palette.surface,
    '--raised': palette.raised,
    '--hover': palette.hover,
    '--text': palette.text,
    '--muted': palette.muted,
    '--hairline': palette.hairline,
    '--control': palette.control,
    '--primary': palette.primary,
    '--primary-hover': palette.primaryHover,
    '--on-primary': palette.onPrimary,
    '--accent': palette.accent,
    '--success': palette.success,
    '--warning': palette.warning,
    '--danger': palette.danger,
    '--shadow': palette.shadow,
    ...series,
    ...tint('primary', palette.primaryTint, palette.primaryTintHover, palette.primaryInk),
    ...tint('success', palette.successTint, palette.successTint, palette.successInk),
    ...tint('warning', palette.warningTint, palette.warningTint, palette.warningInk),
    ...tint('danger', palette.dangerTint, palette.dangerTint, palette.dangerInk),
    ...mantineColor('thread', palette.primary, palette.primaryHover, 'primary'),
    ...mantineColor('success', palette.success, palette.success, 'success'),
    ...mantineColor('warning', palette.warning, palette.warning, 'warning'),
    ...mantineColor('danger', palette.danger, palette.dangerHover, 'danger'),
    '--mantine-color-gray-text': palette.muted,
    '--mantine-color-gray-light': palette.hover,
    '--mantine-color-gray-light-hover': palette.hairline,
    '--mantine-color-gray-light-color': palette.text,
    '--mantine-color-text': palette.text,
    '--mantine-color-bright': palette.text,
    '--mantine-color-body': palette.surface,
    '--mantine-color-anchor': palette.primary,
    '--mantine-color-dimmed': palette.muted,
    '--mantine-color-placeholder': palette.muted,
    '--mantine-color-error': palette.danger,
    '--mantine-color-success': palette.success,
    '--mantine-color-default': palette.surface,
    '--mantine-color-default-hover': palette.hover,
    '--mantine-color-default-color': palette.text,
    '--mantine-color-default-border': palette.hairline,
    '--mantine-color-disabled': palette.hover,
    '--mantine-color-disabled-color': palette.muted,
    '--mantine-color-disabled-border': palette.hairline,
    '--mantine-primary-color-contrast': palette.onPrimary,
  };
}

function tint(
  name: string,
  background: string,
  hover: string,
  ink: string,
): Record<string, string> {
  return {
    [`--${name}-tint`]: background,
    [`--${name}-tint-hover`]: hover,
    [`--${name}-ink`]: ink,
  };
}

function mantineColor(
  name: string,
  filledColor: string,
  filledHover: string,
  token: string,
): Record<string, string> {
  const at = `--mantine-color-${name}`;
  return {
    [`${at}-filled`]: filledColor,
    // Menus use this shade for colored items in both schemes.
    [`${at}-6`]: filledColor,
    [`${at}-filled-hover`]: filledHover,
    [`${at}-text`]: filledColor,
    [`${at}-outline`]: filledColor,
    [`${at}-outline-hover`]: `var(--${token}-tint)`,
    [`${at}-light`]: `var(--${token}-tint)`,
    [`${at}-light-hover`]: `var(--${token}-tint-hover)`,
    [`${at}-light-color`]: `var(--${token}-ink)`,
  };
}
