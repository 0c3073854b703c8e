# collector.Dockerfile - libkernsift_cupti.so, and kernsift to upload its files.
#
#   docker build -f docker/collector.Dockerfile -t kernsift-collector .
#
# CUDA is an image with CUDA's headers; only the headers are taken from it. BASE is
# where the library is compiled: it requires at least the glibc of that image.
ARG BASE=debian:bookworm-slim
ARG CUDA=nvidia/cuda:12.6.3-devel-ubuntu22.04

FROM ${CUDA} AS cuda
RUN mkdir -p /headers/include \
	&& cp -rL /usr/local/cuda/include/. /headers/include/ \
	&& { [ ! -d /usr/local/cuda/extras/CUPTI/include ] \
		|| cp -rL /usr/local/cuda/extras/CUPTI/include/. /headers/include/; }

FROM ${BASE} AS build
RUN apt-get -qq update && apt-get -qq -y --no-install-recommends install \
	gcc g++ libc6-dev cmake ninja-build pkgconf libmicrohttpd-dev libgnutls28-dev \
	libjansson-dev libpq-dev libisal-dev libzstd-dev libsqlite3-dev \
	nettle-dev libpcre2-dev libiberty-dev r-mathlib \
	libcurl4-openssl-dev \
	&& rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY --from=cuda /headers /usr/local/cuda
COPY CMakeLists.txt CMakePresets.json ./
COPY server server
COPY include include
COPY collector collector
COPY sql sql
COPY web web
RUN cmake --preset release -DKERNSIFT_NPM=OFF \
	&& cmake --build --preset release --target kernsift_cupti kernsift

FROM ${BASE}
RUN apt-get -qq update && apt-get -qq -y --no-install-recommends install \
	libjansson4 libisal2 libzstd1 libnettle8 libcurl4 ca-certificates \
	&& rm -rf /var/lib/apt/lists/* \
	&& useradd --system --uid 10001 --user-group --home-dir /nonexistent kernsift \
	&& install -d -m 1777 /var/spool/kernsift
COPY --from=build /src/build/release/bin/kernsift /usr/local/bin/
COPY --from=build /src/build/release/bin/libkernsift_cupti.so /usr/local/lib/
COPY LICENSE /usr/share/doc/kernsift/
COPY collector/LICENSE /usr/share/doc/kernsift/LICENSE.collector
USER kernsift
ENTRYPOINT ["kernsift"]
CMD ["agent", "/var/spool/kernsift"]
