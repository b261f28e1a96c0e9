"""A firmware and its serial line, for the scripts beside this file."""
import ctypes
import socket
import subprocess
import sys

PATIENCE = 30  # seconds without a byte until the firmware counts as hung


def die_with_parent():
    """Whatever ends the script, ctest's time limit too, ends the firmware."""
    set_parent_death_signal, sigkill = 1, 9
    ctypes.CDLL(None).prctl(set_parent_death_signal, sigkill)


class Firmware:
    """Starts the command; {fd} in an argument stands for the number of the socket that is its serial line. The end of the block kills it."""

    def __init__(self, command, small_buffers=False):
        self.line, theirs = socket.socketpair()
        if small_buffers:
            for end in self.line, theirs:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.line.settimeout(PATIENCE)
        words = [word.replace("{fd}", str(theirs.fileno())) for word in command]
        self.process = subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        theirs.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def send(self, data):
        """In pieces: the time limit holds for each of them, not for all together."""
        for start in range(0, len(data), 256):
            self.line.sendall(data[start : start + 256])

    def receive(self, most):
        """At least one byte."""
        try:
            data = self.line.recv(most)
        except TimeoutError:
            sys.exit(f"no byte for {PATIENCE} s")
        if not data:
            sys.exit("the firmware closed the line")
        return data

    def receive_all(self, size):
        data = b""
        while len(data) < size:
            data += self.receive(size - len(data))
        return data

    def rest(self):
        """Kills it, and returns what was on its way."""
        self.process.kill()
        self.process.wait()
        data = b""
        try:
            while more := self.line.recv(4096):
                data += more
        except ConnectionResetError:
            pass
        return data
