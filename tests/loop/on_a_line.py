"""A firmware, its serial line and the frames on it (lib/link/PROTOCOL.md), for the scripts beside this file."""
import ctypes
import select
import socket
import struct
import subprocess
import sys
import time
import zlib

PATIENCE = 30  # seconds without a byte until the firmware counts as hung

ASK_HELLO, ASK_COUNTS, ASK_STATUS, BEGIN_IMAGE, CHUNK, CONFIRM = 0x01, 0x05, 0x07, 0x09, 0x0A, 0x0B
ACTED, COUNTS, STATUS, IMAGE = 0x82, 0x85, 0x87, 0x89
STATUS_FIELDS = (
    "incarnation ticks pairs missed_deadlines missed_observations impossible_observations observations_out_of_range saturations "
    "frames_refused episode episode_ended safe"
).split()


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


def frame(message):
    message += struct.pack("<I", zlib.crc32(message))
    out, mark = bytearray([0]), 0
    for byte in message:
        out.append(byte)
        if byte == 0:
            out[mark] = len(out) - 1 - mark
            mark = len(out) - 1
    out[mark] = len(out) - mark
    return bytes(out) + b"\0"


def decode(encoded):
    """The message; None: it is none."""
    out, place = bytearray(), 0
    while place < len(encoded):
        code = encoded[place]
        out += encoded[place + 1 : place + code]
        place += code
        if place < len(encoded):
            out.append(0)
    body, crc = bytes(out[:-4]), out[-4:]
    return body if body and struct.pack("<I", zlib.crc32(body)) == crc else None


def status_of(body):
    """The fields of a status message, by name."""
    return dict(zip(STATUS_FIELDS, struct.unpack("<10IBB", body[1:])))


class Messages:
    """What the firmware says. `broken`: how many frames may be none; a reset breaks the one that is under way."""

    def __init__(self, firmware):
        self.firmware, self.bytes, self.broken = firmware, b"", 0

    def next(self, kind):
        body = self.within(PATIENCE, kind)
        if body is None:
            sys.exit(f"no message of type {kind:02x} for {PATIENCE} s")
        return body

    def within(self, seconds, kind):
        """The next message of the kind; None: there was none."""
        end_of_patience = time.monotonic() + seconds
        while True:
            end = self.bytes.find(b"\0")
            if end < 0:
                left = end_of_patience - time.monotonic()
                if not select.select([self.firmware.line], [], [], max(left, 0))[0]:
                    return None
                self.bytes += self.firmware.receive(4096)
                continue
            encoded, self.bytes = self.bytes[:end], self.bytes[end + 1 :]
            if not encoded:
                continue
            body = decode(encoded)
            if body is None:
                self.broken -= 1
                if self.broken < 0:
                    sys.exit(f"the firmware sent a frame that is none: {encoded.hex()}")
            elif body[0] == kind:
                return body

    def shout(self, noise):
        """Hears what is said meanwhile: an emulator whose bytes nobody takes stands still."""
        for start in range(0, len(noise), 256):
            self.firmware.send(noise[start : start + 256])
            while select.select([self.firmware.line], [], [], 0)[0]:
                self.bytes += self.firmware.receive(4096)
