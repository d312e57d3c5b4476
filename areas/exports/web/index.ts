// Web interface of exports for screens of higher areas.
export { ExportButton } from './export-button.tsx';
