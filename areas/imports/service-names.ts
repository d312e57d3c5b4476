// Display names of the email services whose exports are recognized.
import type { ExportService } from './shared.ts';

export const serviceNames: Record<ExportService, string> = {
  mailchimp: 'Mailchimp',
  getresponse: 'GetResponse',
  mailerlite: 'MailerLite',
  brevo: 'Brevo',
  klaviyo: 'Klaviyo',
};
