// Web modules of the exports area for the screens of areas that depend on it.
export { ExportButton } from './export-button.tsx';
