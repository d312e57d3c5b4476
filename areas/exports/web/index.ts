// The web door of exports: what screens of higher floors may use.
export { ExportButton, type ExportChoice } from './export-button.tsx';
