/** Where the API for integrations is; an incompatible one would be at another path. */
export const API = "/api/v1";
