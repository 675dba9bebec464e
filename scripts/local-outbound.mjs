/**
 * What the service's requests go through in `npm start`: addresses of its nodes anywhere, everything else to public
 * addresses alone, by what a name resolves to. Webhooks may be on this machine too, over http. Where the service is
 * deployed the platform sees to that.
 */
export default {
  fetch: (request, env) => {
    const { origin, protocol, hostname } = new URL(request.url);
    const isHere = protocol === "http:" && HERE.includes(hostname);
    return isHere || env.ORIGINS.includes(origin) ? fetch(request) : env.PUBLIC.fetch(request);
  },
};

const HERE = ["localhost", "127.0.0.1", "[::1]"];
