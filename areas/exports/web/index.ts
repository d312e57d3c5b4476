// Web interface of exports for screens of higher floors.
export { ExportButton, type ExportChoice } from './export-button.tsx';
