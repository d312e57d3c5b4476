// Web interface of exports for screens of higher floors.
export { ExportButton } from './export-button.tsx';
