// The outer end of the simulated UART: a byte stream in each direction, without a baud rate.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

class Uart {
 public:
    // `port` >= 0: TCP server on 127.0.0.1 (0: any free port; the number is printed on standard output as `uart: tcp
    // port N`), for one client at a time; bytes sent while there is none wait for the next. Otherwise output goes to
    // standard output. Input comes from `input` (a file, available as a whole from the first cycle on) or from standard
    // input as it arrives, or there is none.
    Uart(int port, const std::string &input, bool from_stdin);

    void send(uint8_t byte) { output_.push_back(byte); }
    bool has_input() const { return !input_.empty(); }
    uint8_t front() const { return input_.front(); }
    void pop() { input_.pop_front(); }

    // Moves bytes between the queues and the outer end, without waiting. To be called every few hundred cycles, and
    // once at the end.
    void poll();
    // Like poll, but waits until all output has been taken or no one takes it.
    void flush();

 private:
    void poll_client();
    void drop_client();

    int listener_ = -1, client_ = -1;
    bool from_stdin_;
    std::string output_;
    std::deque<uint8_t> input_;
};
