// The door of the people: what other areas may call.
export { type EmailAddress, type EmailFault, parseEmail } from './email-address.ts';
export { type PhoneFault, type PhoneNumber, parsePhone } from './phone-number.ts';
