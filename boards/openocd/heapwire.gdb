# GDB's part of a session. `monitor` goes past GDB: after `monitor reset init` GDB would still have the old registers.
define hookpost-monitor
maintenance flush register-cache
end
