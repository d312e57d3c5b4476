// Exports of the accounts area for screens: the fields of a postal address and of a website, shared
// by several screens.
export { AddressFields, ZoneField } from './address/address-fields.tsx';
export {
  toAddressValues,
  createAddressRules,
  type AddressValues,
} from './address/address-values.ts';
export { WebsiteField } from './website-field.tsx';
export { saveAddress } from './address/save-address.ts';
