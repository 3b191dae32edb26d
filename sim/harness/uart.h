// The outer end of the simulated UART: a byte stream in each direction, without a baud rate.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

class Uart {
 public:
    // `port` >= 0: TCP server on 127.0.0.1 (0: any free port; the number is printed on standard output as `uart: tcp
    // port N`), for one client at a time; bytes sent while there is none wait for the next. Otherwise output goes to
    // standard output. Input comes from `input` (a file, available as a whole from the first cycle on) or from standard
    // input as it arrives, or there is none. `turns`: client and program take turns and send a frame each, that is
    // bytes and then a zero. The client begins. While it is the client's turn, poll waits, until `stopped` or the
    // client has gone. The cycles at which the client's bytes arrive then do not depend on how fast the client is.
    // The value of `turns` is the most cycles that the program's turn may take; 0: there are no turns.
    Uart(int port, uint64_t turns, const std::string &input, bool from_stdin, std::function<bool()> stopped);

    void send(uint8_t byte) {
        output_.push_back(byte);
        if (to_client_.ends_with(byte) && unanswered_) unanswered_--;
    }
    bool has_input() const { return !input_.empty(); }
    uint8_t front() const { return input_.front(); }
    void pop() { input_.pop_front(); }

    // Moves bytes between the queues and the outer end, without waiting for them, unless there are turns. To be called
    // every few hundred cycles. Returns false if the program's turn takes too long.
    bool poll(uint64_t cycle);
    // Like poll, but waits until all output has been taken or no one takes it.
    void flush();

 private:
    // The end of a frame: a zero behind other bytes.
    struct Frame {
        bool begun = false;
        bool ends_with(uint8_t byte) {
            bool ends = begun && byte == 0;
            begun = byte != 0;
            return ends;
        }
    };

    void poll_client();
    void receive();
    bool clients_turn() const { return turns_ && unanswered_ == 0; }
    void drop_client();

    int listener_ = -1, client_ = -1;
    uint64_t turns_, turn_began_ = 0;
    bool greeted_ = false;     // there has been a client
    unsigned unanswered_ = 0;  // frames of the client
    Frame from_client_, to_client_;
    bool from_stdin_;
    std::function<bool()> stopped_;
    std::string output_;
    std::deque<uint8_t> input_;
};
