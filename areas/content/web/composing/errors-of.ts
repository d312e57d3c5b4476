// Errors among the findings of an email. Recipients are checked elsewhere.
import { api, at, type EmailPlace, type Finding } from './composing.ts';

export async function errorsOf(email: EmailPlace): Promise<Finding[]> {
  const { data } = await api(at(email, 'GET /{base}/{id}/checks'), { params: { id: email.id } });
  return data.filter((one) => one.severity === 'error' && one.step !== 'recipients');
}
