-- Sets up a full bucket, which stays until somebody deletes it: ARGV are its size, its rate per second and the
-- client's clock in milliseconds.
return redis.call('HSET', KEYS[1], 'tokens', ARGV[1], 'at', ARGV[3], 'rate', ARGV[2], 'size', ARGV[1])
