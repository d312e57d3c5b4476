// What stands in the way of an email: the errors among its findings. Who gets it is asked for elsewhere.
import { api, at, type EmailPlace, type Finding } from './composing.ts';

export async function errorsOf(email: EmailPlace): Promise<Finding[]> {
  const { data } = await api(at(email, 'GET /{base}/{id}/checks'), { params: { id: email.id } });
  return data.filter((one) => one.severity === 'error' && one.step !== 'recipients');
}
