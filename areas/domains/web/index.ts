// Web interface of sending domains for other areas.
export { default as AddDomainDialog } from './add-domain-dialog.tsx';
