// Requests the findings of an email, without findings about its recipients.
import { api, at, type EmailPlace, type Finding } from './composing.ts';

export async function findingsOf(email: EmailPlace): Promise<Finding[]> {
  const { data } = await api(at(email, 'GET /{base}/{id}/checks'), { params: { id: email.id } });
  return data.filter((row) => row.step !== 'recipients');
}

export async function errorsOf(email: EmailPlace): Promise<Finding[]> {
  return (await findingsOf(email)).filter((finding) => finding.severity === 'error');
}
