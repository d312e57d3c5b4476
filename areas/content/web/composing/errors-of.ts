// Requests the findings of an email except those about its recipients, or only the errors among
// them.
import { api, at, type EmailPlace, type Finding } from './composing.ts';

export async function readFindings(email: EmailPlace): Promise<Finding[]> {
  const { data } = await api(at(email, 'GET /{base}/{id}/checks'), { params: { id: email.id } });
  return data.filter((row) => row.step !== 'recipients');
}

export async function readErrors(email: EmailPlace): Promise<Finding[]> {
  return (await readFindings(email)).filter((finding) => finding.severity === 'error');
}
