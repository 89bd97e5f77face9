-- Sets up a full bucket: ARGV are its size, its rate per second and the client's clock in milliseconds.
redis.call('HSET', KEYS[1], 'tokens', ARGV[1], 'at', ARGV[3], 'rate', ARGV[2], 'size', ARGV[1])
return redis.call('PEXPIRE', KEYS[1], 86400000)
