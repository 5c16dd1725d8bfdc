-- What is around the files of the library: NAME and `make`, which makes the bodies. It is made by the first call, since there is not more
-- than register_function while a library is loaded, and stays.
local bodies

local function register(name, flag)
  redis.register_function({
    function_name = NAME .. '_' .. name,
    flags = { flag },
    callback = function(keys, arguments)
      if not bodies then bodies = make() end
      KEYS, ARGV = keys, arguments
      return bodies[name]()
    end,
  })
end
