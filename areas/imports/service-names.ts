// What the services whose exports are read call themselves.
import type { ExportService } from './limits.ts';

export const serviceNames: Record<ExportService, string> = {
  mailchimp: 'Mailchimp',
  getresponse: 'GetResponse',
  mailerlite: 'MailerLite',
  brevo: 'Brevo',
  klaviyo: 'Klaviyo',
};
