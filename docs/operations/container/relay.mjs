// A test relay: accepts every email, logs its recipients, and delivers nothing. Runs in the
// product's own image.
import { SMTPServer } from 'smtp-server';

let count = 0;
const server = new SMTPServer({
  authOptional: true,
  onData(stream, session, done) {
    stream.resume();
    stream.on('end', () => {
      count += 1;
      console.log(count, session.envelope.rcptTo.map(({ address }) => address).join());
      done();
    });
  },
});
server.listen(2525, '0.0.0.0', () => console.log('Listening on port 2525'));
process.on('SIGTERM', () => process.exit(0));
